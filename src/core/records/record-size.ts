import type { Hash } from "node:crypto";
import type { Steps } from "../load/steps.ts";
import { type Fields, isObject } from "../values/basics.ts";
import { escapeControlCharacters, type TruncatedValue } from "./record.ts";

// Bytes of JSON. The parts that callers control, these and some names, add up to less than 64 KB.
const MAX_PARAMETERS = 20 * 1024;
const MAX_PARAMETER = 8 * 1024;
const MAX_ROWS = 5 * 1024;
const MAX_ANNOTATIONS = 2 * 1024;

/** Parameters whose sizes are checked individually. */
const MAX_FIELDS = 64;

/** Elements of a list that become JSON in one step. */
const ELEMENTS_AT_A_TIME = 10;

/** The input of a mutation in its records. */
export interface RecordedParameters {
  readonly parameters: Fields | TruncatedValue;
  /** Whether some of it was too large. */
  readonly areCut: boolean;
}

/** The input of a mutation for its records: safe to print, oversized values cut. A long list is looked at in steps. */
export function* recordedParameters(input: Fields): Steps<RecordedParameters> {
  const lists = yield* oversizedLists(input);
  const whole = lists.size === 0 ? fitting(input, MAX_PARAMETERS) : undefined;
  if (whole) return { parameters: whole, areCut: false };
  return { parameters: fitting(withoutLargeFields(input, lists), MAX_PARAMETERS) ?? cut(input), areCut: true };
}

/** Rows of a table for a record, in steps. */
export function* recordedRows(rows: readonly unknown[]): Steps<readonly unknown[] | TruncatedValue> {
  return (yield* oversized(rows, MAX_ROWS)) ?? fitting(rows, MAX_ROWS) ?? cut(rows);
}

/** Annotations of a policy for a record. */
export function recordedAnnotations(
  texts: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | TruncatedValue {
  return fitting(texts, MAX_ANNOTATIONS) ?? cut(texts);
}

/** A text for a record, truncated to a number of bytes. */
export function recordedText(text: string, maxBytes: number): string {
  const whole = text.length > maxBytes ? undefined : escapeControlCharacters(text);
  let kept = whole ?? escapeControlCharacters(text.slice(0, maxBytes));
  for (let bytes = bytesOf(kept); bytes > maxBytes; bytes = bytesOf(kept)) {
    kept = kept.slice(0, Math.floor((kept.length * maxBytes) / bytes) - 1);
  }
  return kept === whole ? kept : `${kept}...`;
}

/** The value, safe to print, if it is small enough. */
function fitting<T extends object>(value: T, maxBytes: number): T | undefined {
  if (exceeds(value, maxBytes)) return undefined;
  // Escaping never shortens a text, and a value without JSON cannot be escaped.
  if (!(bytesOf(value) <= maxBytes)) return undefined;
  const safe = escapeControlCharacters(value);
  return bytesOf(safe) <= maxBytes ? safe : undefined;
}

/** Whether the JSON of a value is certainly larger; costs no more than to look at that much of it. */
function exceeds(value: unknown, bytes: number): boolean {
  const unseen = [value];
  let left = bytes;
  while (unseen.length > 0 && left >= 0) {
    const next = unseen.pop();
    left -= typeof next === "string" ? next.length : 1;
    if (typeof next !== "object" || next === null) continue;
    for (const key in next) {
      left -= 1;
      if (left < 0) return true;
      unseen.push((next as Fields)[key]);
    }
  }
  return left < 0;
}

/** The lists that do not fit by themselves, cut. */
function* oversizedLists(input: Fields): Steps<ReadonlyMap<string, TruncatedValue>> {
  const found = new Map<string, TruncatedValue>();
  for (const [name, value] of Object.entries(input)) {
    const cutValue = Array.isArray(value) ? yield* oversized(value, MAX_PARAMETERS) : undefined;
    if (cutValue) found.set(name, cutValue);
  }
  return found;
}

/** A long list that does not fit, cut; undefined for any other, and for one that has no JSON. */
function* oversized(list: readonly unknown[], maxBytes: number): Steps<TruncatedValue | undefined> {
  if (list.length <= ELEMENTS_AT_A_TIME) return undefined;
  const hash = newHash();
  let bytes = "]".length;
  for (let from = 0; from < list.length; from += ELEMENTS_AT_A_TIME) {
    if (from > 0) yield;
    const part = jsonOf(list.slice(from, from + ELEMENTS_AT_A_TIME));
    if (part === undefined) return undefined;
    const text = `${from === 0 ? "[" : ","}${part.slice(1, -1)}`;
    hash.update(text);
    bytes += Buffer.byteLength(text);
  }
  return bytes > maxBytes ? { count: list.length, sha256: hash.update("]").digest("hex") } : undefined;
}

function withoutLargeFields(input: Fields, oversized: ReadonlyMap<string, TruncatedValue>): Fields {
  const fields = Object.entries(input);
  if (fields.length > MAX_FIELDS) return input;
  return Object.fromEntries(
    fields.map(([name, value]) => {
      const known = oversized.get(name);
      const small = known ? { value: known } : fitting({ value }, MAX_PARAMETER);
      return [name, small ? small.value : cut(value)];
    }),
  );
}

function cut(value: unknown): TruncatedValue {
  const hash = newHash().update(jsonOf(value) ?? "");
  return { count: countOf(value), sha256: hash.digest("hex") };
}

/** Loaded lazily, for the first long or oversized value. */
function newHash(): Hash {
  return process.getBuiltinModule("node:crypto").createHash("sha256");
}

function countOf(value: unknown): number {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 1;
}

/** Bytes of a value's JSON; NaN if it has none: a call within the process may pass a cycle or a BigInt. */
function bytesOf(value: unknown): number {
  const json = jsonOf(value);
  return json === undefined ? Number.NaN : Buffer.byteLength(json);
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return undefined;
  }
}
