import { AdminError } from "../core/errors.ts";
import { type LongList, partsOf } from "../core/long-list.ts";
import type { ReadSchedule } from "../core/read-schedule.ts";
import type { HttpResponse } from "./message.ts";
import { longAnswer } from "./responses.ts";

/** The JSON text of a value with many rows, some rows at each step: the same bytes as `JSON.stringify` gives. */
export function* encodeInSteps(list: LongList): Generator<void, readonly Uint8Array[]> {
  const [head, tail] = frameOf(list);
  const parts: Uint8Array[] = [Buffer.from(head)];
  let separator = "";
  for (const rows of partsOf(list.rows)) {
    parts.push(Buffer.from(separator + JSON.stringify(rows).slice(1, -1)));
    separator = ",";
    yield;
  }
  parts.push(Buffer.from(tail));
  return parts;
}

/** What stands before and after the rows. */
function frameOf({ field, with: withRows }: LongList): readonly [string, string] {
  if (field === undefined) return ["[", "]"];
  const members = Object.entries(withRows([]) as object);
  const place = members.findIndex(([name]) => name === field);
  const before = membersText(members.slice(0, place)).map((text) => `${text},`);
  const after = membersText(members.slice(place + 1)).map((text) => `,${text}`);
  return [`{${before.join("")}${JSON.stringify(field)}:[`, `]${after.join("")}}`];
}

function membersText(members: readonly (readonly [string, unknown])[]): string[] {
  return members.flatMap(([name, value]) => {
    const text: string | undefined = JSON.stringify(value);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
}

/** Bytes that may wait for their callers to take them. */
const MAX_UNWRITTEN_BYTES = 64 * 1024 * 1024;

/** Makes answers with many rows, and counts those that are not written yet: slow callers must not fill the memory. */
export class LargeAnswers {
  #unwrittenBytes = 0;

  /** The answer of a read as a user, encoded as the schedule allows. Rejects with `ENGINE_OVERLOADED` when there are too many. */
  async answer(requestId: string, reads: ReadSchedule, user: string, list: LongList): Promise<HttpResponse> {
    this.#checkRoom();
    const parts = await reads.steps(user, encodeInSteps(list));
    const bytes = parts.reduce((sum, part) => sum + part.byteLength, 0);
    this.#checkRoom();
    this.#unwrittenBytes += bytes;
    const written = (): void => {
      this.#unwrittenBytes -= bytes;
    };
    return { ...longAnswer(requestId, parts, bytes), written };
  }

  #checkRoom(): void {
    if (this.#unwrittenBytes < MAX_UNWRITTEN_BYTES) return;
    throw new AdminError("ENGINE_OVERLOADED", "Too many large answers wait for their callers; ask for less, or later");
  }
}
