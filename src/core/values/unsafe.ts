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
