/**
 * Characters that terminals, editors and sheets act on in place of showing them: controls, bidirectional and zero-width characters, line and
 * paragraph separators.
 */
export const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A character as JSON escapes it: `\u` and four digits for each UTF-16 unit. */
export function unicodeEscape(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
