import type { FieldKind } from "../../client/output-kinds.ts";
import { escapeControlCharacters } from "../../core/records/record.ts";
import { printInfo } from "../terminal/messages.ts";
import { write } from "../terminal/output.ts";
import { type Column, cellOf, columnsFromRows, type Row, wordsOf } from "./columns.ts";
import { csvText } from "./csv.ts";
import { type Format, jsonText, paint, yamlText } from "./format.ts";
import { tableOf } from "./table.ts";

export interface Printed {
  /** Printed as `json` and `yaml`: the API's output. */
  readonly value: unknown;
  /** Printed as `table`, `wide` and `csv`. */
  readonly rows: readonly Row[];
  readonly columns: readonly Column[];
}

export async function printRows({ value, rows, columns }: Printed, format: Format): Promise<void> {
  if (format === "json" || format === "yaml") return write(await encoded(value, format));
  if (format === "csv") return write(csvText(columns, rows));
  const { lines, leftOut, cut } = tableOf(columns, rows, format === "wide" ? UNLIMITED : widthOfOutput());
  write(`${lines.join("\n")}\n`);
  if (rows.length === 0) printInfo("none");
  if (leftOut.length > 0) printInfo(`left out, as it does not fit: ${leftOut.join(", ")}; --output wide shows all`);
  if (cut) printInfo("cells are cut, as they do not fit; --output wide shows all");
}

const UNLIMITED = Number.POSITIVE_INFINITY;

/** Columns of the terminal; unlimited where standard output is none: `grep` must find a whole path. */
export function widthOfOutput(): number {
  // A terminal that does not know its size says 0.
  return process.stdout.columns || UNLIMITED;
}

/** Prints one object on standard output, a line for each field in a table. */
export async function printRecord(
  { value, record, kinds = {} }: { value: unknown; record: Row; kinds?: Readonly<Record<string, FieldKind>> },
  format: Format,
): Promise<void> {
  if (format === "json" || format === "yaml") return write(await encoded(value, format));
  const columns = columnsFromRows([record], kinds);
  if (format === "csv") return write(csvText(columns, [record]));
  const width = Math.max(...columns.map((column) => wordsOf(column).length));
  const lines = columns.map((column) => {
    const [text] = escapeControlCharacters([cellOf(column, record[column.name])]);
    return `${wordsOf(column).padEnd(width)}  ${paint(text ?? "")}`;
  });
  write(`${lines.join("\n")}\n`);
}

async function encoded(value: unknown, format: "json" | "yaml"): Promise<string> {
  return format === "json" ? jsonText(value) : yamlText(value);
}
