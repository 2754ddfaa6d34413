import { type Fields, isObject } from "../values/basics.ts";
import { type CutValue, escapeControlCharacters } from "./record.ts";

// Bytes of JSON. No record is larger than 64 KB: what callers fill of it, these parts and some names, adds up to less.
const MAX_PARAMETERS = 20 * 1024;
const MAX_PARAMETER = 8 * 1024;
const MAX_ROWS = 8 * 1024;
const MAX_ANNOTATIONS = 2 * 1024;

/** Parameters that are looked at one by one. */
const MAX_FIELDS = 64;

/** The input of a mutation as its records hold it: safe to print, and without what is too large for a record. */
export function recordedParameters(input: Fields): Fields | CutValue {
  return fitting(input, MAX_PARAMETERS) ?? fitting(withoutLargeFields(input), MAX_PARAMETERS) ?? cut(input);
}

/** Rows of a table as records hold them. */
export function recordedRows(rows: readonly unknown[]): readonly unknown[] | CutValue {
  return fitting(rows, MAX_ROWS) ?? cut(rows);
}

/** What a policy adds to records. */
export function recordedAnnotations(
  texts: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | CutValue {
  return fitting(texts, MAX_ANNOTATIONS) ?? cut(texts);
}

/** A text as records hold it; what is beyond so many bytes is cut off. */
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
  // What is safe to print is no shorter; and what has no JSON cannot be made safe.
  if (!(bytesOf(value) <= maxBytes)) return undefined;
  const safe = escapeControlCharacters(value);
  return bytesOf(safe) <= maxBytes ? safe : undefined;
}

function withoutLargeFields(input: Fields): Fields {
  const fields = Object.entries(input);
  if (fields.length > MAX_FIELDS) return input;
  return Object.fromEntries(
    fields.map(([name, value]) => {
      const small = fitting({ value }, MAX_PARAMETER);
      return [name, small ? small.value : cut(value)];
    }),
  );
}

function cut(value: unknown): CutValue {
  // Loaded for the first value that is too large.
  const { createHash } = process.getBuiltinModule("node:crypto");
  const hash = createHash("sha256").update(jsonOf(value) ?? "");
  return { count: countOf(value), sha256: hash.digest("hex") };
}

function countOf(value: unknown): number {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 1;
}

/** Bytes of a value's JSON, not a number for what has none: a call within the process may give a cycle, or a BigInt. */
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
