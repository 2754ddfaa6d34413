import { UNSAFE, unicodeEscape } from "../../core/values/basics.ts";
import { isDecimalText } from "../../core/values/decimal-text.ts";
import { type Column, isNumeric, type Row } from "./columns.ts";

/** A sheet takes a text that begins so for a formula; one that is preceded by `'` it shows. Such a text gets one more `'`. */
const FORMULA = /^'*[=+\-@\t\r]/;

/**
 * Where a sheet takes a semicolon for the end of a cell, as in most of Europe, what follows one begins another: a quote before it does
 * not count.
 */
const CELL_WITHIN = /;(?="*[=+\-@])/g;

/** An escape in a cell; a text that looks like one has its backslash escaped. */
const ESCAPE = /\\u([0-9a-f]{4})/g;

/**
 * CSV for sheets (RFC 4180: CRLF ends each line), with the names of the fields in the first line; what has no value is empty. Nothing in it is
 * a formula, and controls are escaped as in tables. {@link cellText} is the way back.
 */
export function csvText(columns: readonly Column[], rows: readonly Row[]): string {
  const head = columns.map(({ name }) => quoted(safe(name)));
  const lines = rows.map((row) => columns.map((column) => quoted(cell(column, row[column.name]))));
  return [head, ...lines].map((cells) => `${cells.join(",")}\r\n`).join("");
}

/** The text that a cell of {@link csvText} stands for. */
export function cellText(cell: string): string {
  const text = cell.replace(ESCAPE, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;
}

function cell(column: Column, value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || (isNumeric(column) && isDecimalText(value))) return String(value);
  return safe(typeof value === "object" ? JSON.stringify(value) : String(value));
}

function safe(text: string): string {
  const shown = FORMULA.test(text) ? `'${text}` : text;
  return shown
    .replace(/\\(?=u[0-9a-f]{4})/g, "\\u005c")
    .replace(CELL_WITHIN, unicodeEscape)
    .replace(UNSAFE, unicodeEscape);
}

function quoted(text: string): string {
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
