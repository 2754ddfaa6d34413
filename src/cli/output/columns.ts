import type { FieldKind } from "../../client/output-kinds.ts";
import { isoTimeOf } from "../../core/values/basics.ts";
import { cellsOf } from "./cells.ts";

/** A column of a table. The order of columns is that of their importance, but for those that are always kept. */
export interface Column {
  /** Field of the row. */
  readonly name: string;
  readonly kind: FieldKind;
  /** Where the table is too wide for its place, the column is not left out: long cells are cut, to at least this many characters. */
  readonly keep?: number;
  /** Its cell in the last line, of totals. */
  readonly total?: string;
}

/** Rows of fields, each a JSON value. */
export type Row = Readonly<Record<string, unknown>>;

const NUMERIC: ReadonlySet<FieldKind> = new Set(["decimal", "integer"]);

/** Whether a column is aligned to the right. */
export function isNumeric({ kind }: Column): boolean {
  return NUMERIC.has(kind);
}

/** A field in words: `realizedPnL` is `realized pnl`. */
export function wordsOf({ name }: Pick<Column, "name">): string {
  return name
    .replace(/PnL/g, "Pnl")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
}

export function titleOf(column: Column): string {
  return wordsOf(column).toUpperCase();
}

/** A value as a table shows it: every digit of a number, times in UTC, `-` for none. */
export function cellOf({ kind }: Pick<Column, "kind">, value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (kind === "time" && typeof value === "number") return isoTimeOf(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** `1 session`, `2 sessions`. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** How often each word occurs: `2 done, 1 unknown`. */
export function tally(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => `${count} ${word}`).join(", ");
}

/** A column that is kept as it is. */
export const UNCUT = Number.POSITIVE_INFINITY;

/** A column that is kept may be cut to this. */
export const SHORT = 8;

/** Columns of plain text that are never left out. */
export function keptColumns(keep: number, ...names: readonly string[]): Column[] {
  return names.map((name) => ({ name, kind: "text", keep }));
}

export function textColumns(...names: readonly string[]): Column[] {
  return names.map((name) => ({ name, kind: "text" }));
}

/** Columns for rows whose fields are not described: in the order in which they first appear. */
export function columnsFromRows(rows: readonly Row[], kinds: Readonly<Record<string, FieldKind>> = {}): Column[] {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  return [...names].map((name) => ({ name, kind: kinds[name] ?? "text" }));
}

/** A text in lines of at most `width` cells of a terminal, broken between words; a longer word stays whole. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && cellsOf(line) + 1 + cellsOf(word) > width) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
