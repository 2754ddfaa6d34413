import { createHash, hash } from "node:crypto";
import type { Gate } from "./gate.ts";
import { type LongList, longListIn } from "./long-list.ts";

/** The target form of an operation's output: the value itself within the process, JSON text over HTTP. */
export interface OutputForm<T> {
  /** Converts a whole output. */
  whole(output: unknown): T;
  /** Converts a long output in steps; `check` must accept each part before it is used. */
  inSteps(list: LongList, check: (part: unknown) => unknown): Iterator<void, T>;
}

/** Brings a result that passes `check` into a form, a long list in steps: `check` gets a part of it at a time. */
export function formed<T>(
  gate: Gate,
  caller: string,
  result: unknown,
  form: OutputForm<T>,
  check: (part: unknown) => unknown,
): T | Promise<T> {
  const list = longListIn(result);
  return list ? gate.steps(caller, form.inSteps(list, check)) : form.whole(check(result));
}

/** The output as a value. */
export const asValue: OutputForm<unknown> = {
  whole: (output) => output,
  *inSteps(list, check) {
    const { field } = list;
    const checked: unknown[] = [];
    let last: unknown;
    for (const part of list.parts()) {
      last = check(list.with(part));
      for (const row of rowsIn(last, field)) checked.push(row);
      yield;
    }
    return field === undefined ? checked : { ...(last as object), [field]: checked };
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
  *inSteps(list, check) {
    const { field } = list;
    const written = new Written();
    let frame: readonly [string, string] | undefined;
    let hasRows = false;
    for (const part of list.parts()) {
      const checked = check(list.with(part));
      if (!frame) {
        frame = frameOf(checked, field);
        written.add(frame[0]);
      }
      const rows = rowsIn(checked, field);
      // All rows of a part may be left out.
      if (rows.length > 0) written.add((hasRows ? "," : "") + JSON.stringify(rows).slice(1, -1));
      hasRows ||= rows.length > 0;
      yield;
    }
    written.add(frame?.[1] ?? "");
    return written.whole();
  },
};

/** JSON that is written, and hashed, a part at a time. */
class Written {
  readonly #parts: Uint8Array[] = [];
  readonly #hash = createHash("sha256");
  #bytes = 0;

  add(text: string): void {
    const part = Buffer.from(text);
    this.#parts.push(part);
    this.#hash.update(part);
    this.#bytes += part.byteLength;
  }

  whole(): JsonOutput {
    return { parts: this.#parts, bytes: this.#bytes, digest: this.#hash.digest("base64url") };
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
