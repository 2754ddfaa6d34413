/** Lower case of ASCII letters, which leaves all others as they are: for names that are ASCII, such as those of permissions. */
export function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** A whole number with commas between thousands: `1,024`. `toLocaleString` would load the tables of all languages for that. */
export function grouped(count: number | string): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** The value of a JSON text; undefined for any other text. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A time in UTC; an engine may send milliseconds that are not a valid date, which remain a number. */
export function isoTimeOf(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString();
}

/** Fields of an input or a record, unchecked. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is an object in the sense of JSON: neither array nor null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is a promise: of any library, or of another realm, as in jest. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

/** Environment variables, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** An error that lists faults; its message has a line for each. */
export class FaultsError extends Error {
  /** Each on one line. */
  readonly faults: readonly string[];

  constructor(faults: string | readonly string[], options?: ErrorOptions) {
    const lines = typeof faults === "string" ? [faults] : faults;
    super(lines.join("\n"), options);
    this.faults = lines;
  }
}

/** The lines of an error: its faults, or its message as one. */
export function linesOf(thrown: unknown): readonly string[] {
  return thrown instanceof FaultsError ? thrown.faults : [messageOf(thrown)];
}

/** Rethrows an error in a microtask, uncaught, so that the current code can continue. */
export function throwUncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

/** A text in pieces, between which a page may break it: behind the slashes of paths. */
export function breakablePieces(text: string): string[] {
  return text.split(/(?<=\/)/);
}

/** Makes a lazy value: computed on first use. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * Characters that terminals, browsers, editors and sheets act on in place of showing them, or do not show at all: controls, bidirectional
 * and zero-width characters, fillers, line and paragraph separators.
 */
export const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** A character as JSON escapes it: `\u` and four digits for each UTF-16 unit. */
export function unicodeEscape(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** A text of which every character can be seen. */
export function visible(text: string): string {
  return text.replace(UNSAFE, unicodeEscape);
}

/**
 * A text as one word of a shell, in which every character can be seen; bare where it can be. Quotes with a dollar are those of POSIX of 2024,
 * which bash, zsh and ksh have long had.
 */
export function shellWord(text: string): string {
  if (/^[\w./:,@%+=-]+$/.test(text)) return text;
  if (visible(text) === text) return `'${text.replaceAll("'", "'\\''")}'`;
  return `$'${text.replace(/['\\]/g, "\\$&").replace(UNSAFE, octalEscape)}'`;
}

/** A character as `$'...'` escapes its bytes: three digits each, as further ones may follow. */
function octalEscape(character: string): string {
  const bytes = [...new TextEncoder().encode(character)];
  return bytes.map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
}

/** Whether a text can be an argument of a command: without a character that ends it, nor half a character. */
export function isTypable(text: string): boolean {
  return !/[\0\p{Cs}]/u.test(text);
}
