import { type Fields, isObject } from "../values/basics.ts";
import { escapeControlCharacters, type TruncatedValue } from "./record.ts";

// Bytes of JSON. The parts that callers control, these and some names, add up to less than 64 KB.
const MAX_PARAMETERS = 20 * 1024;
const MAX_PARAMETER = 8 * 1024;
const MAX_ROWS = 5 * 1024;
const MAX_ANNOTATIONS = 2 * 1024;
const MAX_ANNOTATION = 1024;

/** Parameters whose sizes are checked individually. */
const MAX_FIELDS = 64;

export interface RecordedParameters {
  readonly parameters: Fields | TruncatedValue;
  readonly areCut: boolean;
}

/** The input of a mutation for its records: safe to print, oversized values cut. */
export function recordedParameters(input: Fields): RecordedParameters {
  const whole = fitting(input, MAX_PARAMETERS);
  if (whole) return { parameters: whole, areCut: false };
  return { parameters: fitting(withoutLargeFields(input), MAX_PARAMETERS) ?? cut(input), areCut: true };
}

export function recordedRows(rows: readonly unknown[]): readonly unknown[] | TruncatedValue {
  return fitting(rows, MAX_ROWS) ?? cut(rows);
}

/** Long ones are shortened each, so that a long reason of a request does not hide whose request it was. */
export function recordedAnnotations(
  texts: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | TruncatedValue {
  const shortened = () =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, recordedText(text, MAX_ANNOTATION)]));
  return fitting(texts, MAX_ANNOTATIONS) ?? fitting(shortened(), MAX_ANNOTATIONS) ?? cut(texts);
}

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

/** `node:crypto` is loaded lazily, for the first oversized value. */
function cut(value: unknown): TruncatedValue {
  const hash = process.getBuiltinModule("node:crypto").createHash("sha256");
  return { count: countOf(value), sha256: hash.update(jsonOf(value) ?? "").digest("hex") };
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
