import { escapeControlCharacters } from "../../core/records/record.ts";
import { type Column, cellOf, isNumeric, type Row, titleOf } from "./columns.ts";
import { paint } from "./format.ts";

/** A table as text, and what did not fit. */
export interface Table {
  readonly lines: readonly string[];
  /** Titles of the columns that were left out. */
  readonly leftOut: readonly string[];
  /** Cells were cut. */
  readonly cut: boolean;
}

/** Blanks between two columns. */
const GAP = 2;
/** A column is cut to no less than this. */
const LEAST = 8;

/** Lays rows out as a table of at most `width` characters. */
export function tableOf(columns: readonly Column[], rows: readonly Row[], width: number): Table {
  const hasTotals = columns.some(({ total }) => total !== undefined);
  const all = columns.map((column, index) => layoutOf(column, rows, hasTotals ? [totalCell(column, index)] : []));
  const kept = fitting(all, width);
  const room = width - kept.slice(1).reduce((sum, column) => sum + column.width + GAP, 0);
  const [first, ...others] = kept;
  // What is left is the most important column; where even that does not fit, it is cut.
  const isCut = first !== undefined && kept.length === 1 && first.width > room;
  const shown = isCut ? [{ ...first, width: Math.max(room, LEAST) }] : first ? [first, ...others] : [];
  const count = 1 + rows.length + (hasTotals ? 1 : 0);
  const lines = Array.from({ length: count }, (_, line) => lineOf(shown, line));
  return { lines, leftOut: all.slice(kept.length).map(({ title }) => title), cut: isCut };
}

interface Layout {
  readonly title: string;
  /** The title, a cell for each row, and the total. */
  readonly cells: readonly string[];
  readonly width: number;
  readonly right: boolean;
}

function totalCell({ total = "" }: Column, index: number): string {
  return index === 0 && total === "" ? "TOTAL" : total;
}

function layoutOf(column: Column, rows: readonly Row[], total: readonly string[]): Layout {
  const title = titleOf(column);
  const cells = escapeControlCharacters([title, ...rows.map((row) => cellOf(column, row[column.name])), ...total]);
  return { title, cells, width: Math.max(...cells.map(lengthOf)), right: isNumeric(column) };
}

/** As many columns from the first as fit, at least one. */
function fitting(all: readonly Layout[], width: number): Layout[] {
  const kept: Layout[] = [];
  let used = -GAP;
  for (const column of all) {
    used += column.width + GAP;
    if (kept.length > 0 && used > width) return kept;
    kept.push(column);
  }
  return kept;
}

function lineOf(shown: readonly Layout[], line: number): string {
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
