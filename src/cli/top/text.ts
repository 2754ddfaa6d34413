import { styleText } from "node:util";
import { escapeControlCharacters } from "../../core/records/record.ts";

type Style = Parameters<typeof styleText>[0];

/** A text that fits, in which nothing steers the terminal. */
export function plain(text: string, width: number): string {
  const safe = escapeControlCharacters(text);
  return safe.length <= width ? safe : `${safe.slice(0, width - 1)}…`;
}

/** A text in a style, where the screen has colours. */
export function styled({ colour }: { readonly colour: boolean }, style: Style, text: string): string {
  return colour ? styleText(style, text, { validateStream: false }) : text;
}
