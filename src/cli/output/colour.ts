import { styleText } from "node:util";

/** Words that a person looks for, and how they look. */
const STYLES: Readonly<Record<string, "red" | "yellow" | "green">> = {
  halted: "red",
  Disabled: "red",
  disabled: "red",
  Disconnected: "yellow",
  Connected: "green",
};

/** Whether a stream is a terminal that colours are wanted on (https://no-color.org). */
export function hasColour(stream: NodeJS.WriteStream = process.stdout): boolean {
  return stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== "dumb";
}

/** A cell in its colour, when standard output has colours. */
export function paint(text: string): string {
  const style = Object.hasOwn(STYLES, text) ? STYLES[text] : undefined;
  return style && hasColour() ? styleText(style, text) : text;
}
