import { escapeControlCharacters } from "../../core/records/record.ts";
import { type Column, cellOf, isNumeric, type Row, SHORT, titleOf } from "./columns.ts";
import { paint } from "./format.ts";
import { GAP, widthsOf } from "./widths.ts";

/** A table as text, and what did not fit. */
export interface Table {
  readonly lines: readonly string[];
  /** Titles of the columns that were left out. */
  readonly leftOut: readonly string[];
  /** Cells were cut. */
  readonly cut: boolean;
}

/** Lays rows out as a table of at most `width` characters. */
export function tableOf(columns: readonly Column[], rows: readonly Row[], width: number): Table {
  const hasTotals = columns.some(({ total }) => total !== undefined);
  const all = columns.map((column, index) => layoutOf(column, rows, hasTotals ? [totalCell(column, index)] : []));
  const widths = widthsOf(all, width);
  // Where not even one column fits, it is cut all the same.
  const shown = all.flatMap((column, at) => (widths[at] ? [{ ...column, width: Math.min(widths[at], width) }] : []));
  const count = 1 + rows.length + (hasTotals ? 1 : 0);
  return {
    lines: Array.from({ length: count }, (_, line) => lineOf(shown, line)),
    leftOut: all.filter((_, at) => !widths[at]).map(({ title }) => title),
    cut: shown.some((column) => column.width < column.natural),
  };
}

interface Layout {
  readonly title: string;
  /** The title, a cell for each row, and the total. */
  readonly cells: readonly string[];
  readonly natural: number;
  readonly least: number;
  readonly isKept: boolean;
  readonly right: boolean;
}

function totalCell({ total = "" }: Column, index: number): string {
  return index === 0 && total === "" ? "TOTAL" : total;
}

function layoutOf(column: Column, rows: readonly Row[], total: readonly string[]): Layout {
  const title = titleOf(column);
  const cells = escapeControlCharacters([title, ...rows.map((row) => cellOf(column, row[column.name])), ...total]);
  const natural = cells.reduce((most, cell) => Math.max(most, lengthOf(cell)), 0);
  const least = isNumeric(column) ? natural : Math.max(lengthOf(title), column.keep ?? SHORT);
  return { title, cells, natural, least, isKept: column.keep !== undefined, right: isNumeric(column) };
}

function lineOf(shown: readonly (Layout & { readonly width: number })[], line: number): string {
  const cells = shown.map(({ cells, width, right }) => {
    const text = cutTo(cells[line] ?? "", width);
    const blanks = " ".repeat(width - lengthOf(text));
    const painted = line === 0 ? text : paint(text);
    return right ? blanks + painted : painted + blanks;
  });
  return cells.join(" ".repeat(GAP)).trimEnd();
}

function cutTo(text: string, width: number): string {
  return lengthOf(text) <= width ? text : `${[...text].slice(0, width - 1).join("")}…`;
}

function lengthOf(text: string): number {
  return [...text].length;
}
