import { replyNotUnderstood } from "../../src/core/errors.ts";
import type { Gate } from "../../src/core/load/gate.ts";
import { LongList } from "../../src/core/load/long-list.ts";
import type { Lane } from "../../src/core/operations/operation.ts";
import { LONG_BYTES, type ReplyScan } from "./reply-scan.ts";

/** Replies to reads of at least this size are parsed at a turn of the gate: the engine may send hundreds together. */
const TURN_BYTES = 4 * 1024;

/** Whether the reply to a request in a lane is parsed at turns of the gate. */
export function takesTurns({ length }: Uint8Array, lane: Lane): boolean {
  return length >= (lane === "read" ? TURN_BYTES : LONG_BYTES);
}

/**
 * Parses the UTF-8 JSON of a reply like `JSON.parse`, once it has been looked through. The rows of a long list that is the result, or a
 * field of it, are left as text: the result is a {@link LongList}, whose parts are parsed lazily, unless there is no gate. Throws
 * `SyntaxError`, and {@link BeyondBounds} for a reply that is deeper, wider or longer than any legitimate one.
 */
export function parseReply(scan: ReplyScan, gate: Gate | undefined): unknown {
  const list = scan.longList();
  const { message } = scan;
  if (!gate || !list) return JSON.parse(message.toString());
  const [at, end] = [list.cuts[0] ?? 0, list.cuts.at(-1)];
  const rest = JSON.parse(message.toString("utf8", 0, at + 1) + message.toString("utf8", end)) as { result: object };
  const field = list.field === undefined ? undefined : (JSON.parse(list.field) as string);
  return { ...rest, result: new LongList(rest.result, field, () => partsOf(message, list.cuts)) };
}

/** The rows between each cut and the next one. */
function* partsOf(message: Buffer, cuts: readonly number[]): Generator<readonly unknown[]> {
  for (const [index, from] of cuts.slice(0, -1).entries()) {
    yield parsePart(message.toString("utf8", from + 1, cuts[index + 1]));
  }
}

function parsePart(text: string): readonly unknown[] {
  try {
    const part = JSON.parse(`[${text}]`) as unknown[];
    if (part.length > 0) return part;
    throw new SyntaxError("The JSON has a comma without a value in a list");
  } catch (cause) {
    throw replyNotUnderstood(cause);
  }
}
