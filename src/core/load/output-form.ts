import { createHash, hash } from "node:crypto";
import type { Gate } from "./gate.ts";
import { type LongList, longListIn } from "./long-list.ts";
import { forEachInTurns, type Turns } from "./turns.ts";

/** The target form of an operation's output: the value itself within the process, JSON text over HTTP. */
export interface OutputForm<T> {
  /** Converts an output that is short. */
  whole(output: unknown): T;
  /** Begins to convert a long output with rows in a field, or that is the rows: each part is the output with some of its rows. */
  inParts(field: string | undefined): { add(part: unknown): void; end(): T };
}

/** Brings a result that passes `check` into a form, a long list at turns: `check` gets a part of it at a time. */
export function formed<T>(
  gate: Gate,
  caller: string,
  result: unknown,
  form: OutputForm<T>,
  check: (part: unknown) => unknown,
): T | Promise<T> {
  const list = longListIn(result);
  return list ? formedInTurns(gate.turns(caller), list, form, check) : form.whole(check(result));
}

async function formedInTurns<T>(
  turns: Turns,
  list: LongList,
  form: OutputForm<T>,
  check: (part: unknown) => unknown,
): Promise<T> {
  const output = form.inParts(list.field);
  await forEachInTurns(turns, list.parts(), (rows) => output.add(check(list.with(rows))));
  return output.end();
}

export const asValue: OutputForm<unknown> = {
  whole: (output) => output,
  inParts(field) {
    const rows: unknown[] = [];
    let last: unknown;
    return {
      add(part) {
        last = part;
        for (const row of rowsIn(part, field)) rows.push(row);
      },
      end: () => (field === undefined ? rows : { ...(last as object), [field]: rows }),
    };
  },
};

/** JSON of an output, in UTF-8; a long one in parts, with the digest of all bytes. */
export type JsonOutput =
  | string
  | { readonly parts: readonly Uint8Array[]; readonly bytes: number; readonly digest: string };

/** The strong entity tag of an output (RFC 9110 section 8.8.3), of its bytes alone. */
export function entityTagOf(output: JsonOutput): string {
  return `"${typeof output === "string" ? hash("sha256", output, "base64url") : output.digest}"`;
}

/** The output as JSON, byte for byte as from `JSON.stringify`; empty for an output without content. */
export const asJson: OutputForm<JsonOutput> = {
  whole: (output) => (output === null ? "" : JSON.stringify(output)),
  inParts: (field) => new JsonParts(field),
};

/** JSON that is written, and hashed, a part at a time. */
class JsonParts {
  readonly #field: string | undefined;
  readonly #parts: Uint8Array[] = [];
  readonly #hash = createHash("sha256");
  #bytes = 0;
  #frame: readonly [string, string] | undefined;
  #hasRows = false;

  constructor(field: string | undefined) {
    this.#field = field;
  }

  add(part: unknown): void {
    if (!this.#frame) {
      this.#frame = frameOf(part, this.#field);
      this.#write(this.#frame[0]);
    }
    const rows = rowsIn(part, this.#field);
    // All rows of a part may be left out.
    if (rows.length > 0) this.#write((this.#hasRows ? "," : "") + JSON.stringify(rows).slice(1, -1));
    this.#hasRows ||= rows.length > 0;
  }

  end(): JsonOutput {
    this.#write(this.#frame?.[1] ?? "");
    return { parts: this.#parts, bytes: this.#bytes, digest: this.#hash.digest("base64url") };
  }

  #write(text: string): void {
    const bytes = Buffer.from(text);
    this.#parts.push(bytes);
    this.#hash.update(bytes);
    this.#bytes += bytes.byteLength;
  }
}

function rowsIn(output: unknown, field: string | undefined): readonly unknown[] {
  return (field === undefined ? output : (output as Record<string, unknown>)[field]) as readonly unknown[];
}

/** The JSON before and after the rows. */
function frameOf(output: unknown, field: string | undefined): readonly [string, string] {
  if (field === undefined) return ["[", "]"];
  const members = Object.entries(output as object);
  const place = members.findIndex(([name]) => name === field);
  const before = JSON.stringify(Object.fromEntries(members.slice(0, place))).slice(0, -1);
  const after = JSON.stringify(Object.fromEntries(members.slice(place + 1))).slice(1);
  const [open, close] = [before === "{" ? before : `${before},`, after === "}" ? after : `,${after}`];
  return [`${open}${JSON.stringify(field)}:[`, `]${close}`];
}
