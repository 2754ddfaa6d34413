import { UNSAFE, unicodeEscape } from "../../core/values/unsafe.ts";

/** A value as JSON to be read, with a line end. */
export function jsonText(value: unknown): string {
  return `${safe(JSON.stringify(value, null, 2))}\n`;
}

/** A value as JSON on one line, without a line end. */
export function jsonLine(value: unknown): string {
  return safe(JSON.stringify(value));
}

/** JSON that means the same, with escapes for what it would let through in texts; the line ends between its lines stay. */
function safe(json: string): string {
  return json.replace(UNSAFE, (character) => (character === "\n" ? character : unicodeEscape(character)));
}
