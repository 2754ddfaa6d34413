/** Printable ASCII alone: the usual text. */
const NARROW = /^[ -~]*$/;

/** Characters that take two cells of a terminal: East Asian wide and full-width ones, and emoji (Unicode Standard Annex 11). */
const WIDE =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;

/** Characters that stand on the one before, and vowels and ends of syllables in Hangul. */
const COMBINING = /[\p{Mn}\p{Me}\u1160-\u11ff]/u;

function cellsOfCharacter(character: string): number {
  if (COMBINING.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** Cells of a terminal that a text takes, in which nothing steers it. */
export function cellsOf(text: string): number {
  if (NARROW.test(text)) return text.length;
  let cells = 0;
  for (const character of text) cells += cellsOfCharacter(character);
  return cells;
}

/** A text that takes at most that many cells: what does not fit is cut at the end. */
export function fitted(text: string, cells: number): string {
  if (cellsOf(text) <= cells) return text;
  let kept = "";
  let left = cells - 1;
  for (const character of text) {
    left -= cellsOfCharacter(character);
    if (left < 0) break;
    kept += character;
  }
  return `${kept}…`;
}

/** A text with blanks behind it, so that it takes at least that many cells. */
export function padded(text: string, cells: number): string {
  return text + " ".repeat(Math.max(0, cells - cellsOf(text)));
}
