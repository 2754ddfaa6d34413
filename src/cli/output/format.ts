import { styleText } from "node:util";
import { escapeControlCharacters } from "../../core/records/record.ts";
import { UNSAFE, unicodeEscape } from "../../core/values/basics.ts";
import type { OptionDefinition, Options } from "../framework/definition.ts";
import { write } from "../terminal/output.ts";

/** How data is printed. `table` fits the terminal, if there is one; `wide` is never cut. */
export type Format = "table" | "wide" | "json" | "yaml" | "csv";

const FORMATS: readonly Format[] = ["table", "wide", "json", "yaml", "csv"];

/** The option of every command that prints data. */
export const OUTPUT_OPTION: OptionDefinition = {
  flags: "-o, --output <format>",
  description: "output format; unless given, a table, in a terminal no wider than that",
  choices: FORMATS,
};

export function formatOf({ output }: Options): Format {
  return FORMATS.find((format) => format === output) ?? "table";
}

/** Whether data is laid out for people, who read sentences beside it; a program has them in the data. */
export function isForPeople(format: Format): boolean {
  return format === "table" || format === "wide";
}

/** How a continuing stream is printed: a line of text, or a JSON object per line. */
export type StreamFormat = "text" | "json";

/** The option of commands that print continuously. */
export const STREAM_OPTION: OptionDefinition = {
  flags: "-o, --output <format>",
  description: "lines of text, or of JSON (JSON Lines); text unless given",
  choices: ["text", "json"],
};

export function streamFormatOf({ output }: Options): StreamFormat {
  return output === "json" ? "json" : "text";
}

/** Prints one thing that happened on standard output. What others sent must not steer a terminal. */
export function printEvent(event: { readonly text: string; readonly value: unknown }, format: StreamFormat): void {
  write(`${format === "json" ? jsonLine(event.value) : escapeControlCharacters(event.text)}\n`);
}

/** Words that a person looks for, and how they look. */
const STYLES: Readonly<Record<string, "red" | "yellow" | "green">> = {
  halted: "red",
  Disabled: "red",
  disabled: "red",
  Disconnected: "yellow",
  Connected: "green",
};

/** Whether standard output is a terminal that colours are wanted on (https://no-color.org). */
export function hasColour(): boolean {
  return process.stdout.isTTY === true && process.stdout.hasColors();
}

/** A cell in its colour, when standard output has colours. */
export function paint(text: string): string {
  const style = Object.hasOwn(STYLES, text) ? STYLES[text] : undefined;
  return style && hasColour() ? styleText(style, text) : text;
}

/** A value as JSON to be read, with a line end. */
export function jsonText(value: unknown): string {
  return `${safe(JSON.stringify(value, null, 2))}\n`;
}

/** A value as JSON on one line, without a line end. */
export function jsonLine(value: unknown): string {
  return safe(JSON.stringify(value));
}

/** A value as YAML 1.2, a line for each scalar. Texts with characters that a terminal acts on, or that end lines, are quoted, with escapes for them. */
export async function yamlText(value: unknown): Promise<string> {
  const { Document, visit } = await import("yaml");
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === "string" && node.value.search(UNSAFE) >= 0) node.type = "QUOTE_DOUBLE";
    },
  });
  return document
    .toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY })
    .replace(UNSAFE, yamlEscape);
}

/** Quotes characters that YAML does not escape, except line ends. */
function yamlEscape(character: string): string {
  if (character === "\n") return character;
  return `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, "0")}`;
}

/** JSON that means the same, with escapes for what it would let through in texts; the line ends between its lines stay. */
function safe(json: string): string {
  return json.replace(UNSAFE, (character) => (character === "\n" ? character : unicodeEscape(character)));
}
