import { escapeControlCharacters } from "../../core/records/record.ts";
import type { FieldKind } from "../operations/operation-facts.ts";
import { write } from "../terminal/output.ts";
import { say } from "../terminal/say.ts";
import { type Column, cellOf, columnsFromRows, type Row, wordsOf } from "./columns.ts";
import { type Format, paint } from "./format.ts";
import { tableOf } from "./table.ts";

/** Width of a table that does not go to a terminal. */
const PLAIN_WIDTH = 80;

/** What is printed. */
export interface Printed {
  /** What `json` and `yaml` print: what the API returned, unchanged. */
  readonly value: unknown;
  /** What `table`, `wide` and `csv` print. */
  readonly rows: readonly Row[];
  readonly columns: readonly Column[];
}

/** Prints a list on standard output. */
export async function printRows({ value, rows, columns }: Printed, format: Format): Promise<void> {
  if (format === "json" || format === "yaml") return write(await encoded(value, format));
  if (format === "csv") return write(csvOf(columns, rows));
  const width = format === "wide" ? Number.POSITIVE_INFINITY : (process.stdout.columns ?? PLAIN_WIDTH);
  const { lines, leftOut, cut } = tableOf(columns, rows, width);
  write(`${lines.join("\n")}\n`);
  if (rows.length === 0) say("none");
  if (leftOut.length > 0) say(`left out, as it does not fit: ${leftOut.join(", ")}; --output wide shows all`);
  if (cut) say("cut, as it does not fit; --output wide shows all");
}

/** Prints one object on standard output, a line for each field in a table. */
export async function printRecord(
  { value, record, kinds = {} }: { value: unknown; record: Row; kinds?: Readonly<Record<string, FieldKind>> },
  format: Format,
): Promise<void> {
  if (format === "json" || format === "yaml") return write(await encoded(value, format));
  const columns = columnsFromRows([record], kinds);
  if (format === "csv") return write(csvOf(columns, [record]));
  const width = Math.max(...columns.map((column) => wordsOf(column).length));
  const lines = columns.map((column) => {
    const [text] = escapeControlCharacters([cellOf(column, record[column.name])]);
    return `${wordsOf(column).padEnd(width)}  ${paint(text ?? "")}`;
  });
  write(`${lines.join("\n")}\n`);
}

/** A value as JSON to be read, with a line end. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

async function encoded(value: unknown, format: "json" | "yaml"): Promise<string> {
  if (format === "json") return jsonText(value);
  const { stringify } = await import("yaml");
  return stringify(value, { lineWidth: 0 });
}

/** RFC 4180, with the names of the fields in the first line; what has no value is empty. */
function csvOf(columns: readonly Column[], rows: readonly Row[]): string {
  const head = columns.map(({ name }) => quoted(name)).join(",");
  const lines = rows.map((row) => columns.map(({ name }) => quoted(plain(row[name]))).join(","));
  return [head, ...lines].map((line) => `${line}\r\n`).join("");
}

function plain(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
