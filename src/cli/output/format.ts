import type { OptionDefinition, Options } from "../command/definition.ts";

/** How data is printed. `table` fits the terminal, `wide` shows all columns. */
export type Format = "table" | "wide" | "json" | "yaml" | "csv";

const FORMATS: readonly Format[] = ["table", "wide", "json", "yaml", "csv"];

/** The option of every command that prints data. */
export const OUTPUT_OPTION: OptionDefinition = {
  flags: "-o, --output <format>",
  description: "how data is printed; a table of at most the terminal's width, or 80 columns, unless another is chosen",
  choices: FORMATS,
};

/** The format that was asked for. */
export function formatOf({ output }: Options): Format {
  return FORMATS.find((format) => format === output) ?? "table";
}
