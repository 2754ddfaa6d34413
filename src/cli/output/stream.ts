import { escapeControlCharacters } from "../../core/records/record.ts";
import type { OptionDefinition, Options } from "../command/definition.ts";

/** How what goes on coming is printed: a line of text, or a JSON object a line. */
export type StreamFormat = "text" | "json";

/** The option of commands that go on printing. */
export const STREAM_OPTION: OptionDefinition = {
  flags: "-o, --output <format>",
  description: "a line of text, or a JSON object a line (JSON Lines); text unless given",
  choices: ["text", "json"],
};

/** The format that was asked for. */
export function streamFormatOf({ output }: Options): StreamFormat {
  return output === "json" ? "json" : "text";
}

/** Prints one thing that happened on standard output. What others sent must not steer a terminal. */
export function printEvent(event: { readonly text: string; readonly value: unknown }, format: StreamFormat): void {
  process.stdout.write(`${format === "json" ? JSON.stringify(event.value) : escapeControlCharacters(event.text)}\n`);
}
