import { escapeControlCharacters } from "../../core/records/record.ts";
import { cellsOf, fitted } from "./cells.ts";
import { type Column, cellOf, isNumeric, type Row, SHORT, titleOf } from "./columns.ts";
import { paint } from "./format.ts";

/** A table as text, and what did not fit. */
export interface Table {
  readonly lines: readonly string[];
  /** Titles of the columns that were left out. */
  readonly leftOut: readonly string[];
  readonly cut: boolean;
}

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
  /** Width of its longest cell, as all widths in cells of the terminal. */
  readonly natural: number;
  /** It is not narrower than this: numbers are not cut, nor titles. */
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
  const natural = cells.reduce((most, cell) => Math.max(most, cellsOf(cell)), 0);
  const least = isNumeric(column) ? natural : Math.max(cellsOf(title), column.keep ?? SHORT);
  return { title, cells, natural, least, isKept: column.keep !== undefined, right: isNumeric(column) };
}

function lineOf(shown: readonly (Layout & { readonly width: number })[], line: number): string {
  const cells = shown.map(({ cells, width, right }) => {
    const text = fitted(cells[line] ?? "", width);
    const blanks = " ".repeat(width - cellsOf(text));
    const painted = line === 0 ? text : paint(text);
    return right ? blanks + painted : painted + blanks;
  });
  return cells.join(" ".repeat(GAP)).trimEnd();
}

/** Blanks between two columns. */
const GAP = 2;

/** As many characters of a text usually tell it from others: no cell is cut to less for a column that need not be kept. */
const TELLING = 20;

/**
 * Widths of the columns of a table of at most `width` cells; 0 for a column that is left out. The longest cells are cut first, to the same
 * width, before a column is left out; columns that need not be kept are taken in their order, as long as they fit.
 */
function widthsOf(columns: readonly Layout[], width: number): number[] {
  const shown = shownOf(columns, width);
  const cap = capOf(shown, width);
  return columns.map((column) => (shown.has(column) ? widthOf(column, cap) : 0));
}

function shownOf(columns: readonly Layout[], width: number): ReadonlySet<Layout> {
  const shown = new Set<Layout>();
  const addAll = (added: readonly Layout[], cap: number): void => {
    for (const column of added) if (spanOf([...shown, column], cap) <= width) shown.add(column);
  };
  const [kept, others] = [columns.filter(({ isKept }) => isKept), columns.filter(({ isKept }) => !isKept)];
  addAll(kept, 0);
  addAll(others, TELLING);
  // The most important one is there in any case.
  return shown.size > 0 ? shown : new Set(columns.slice(0, 1));
}

/** The width to which cells are cut, so that all fit. */
function capOf(shown: ReadonlySet<Layout>, width: number): number {
  const natural = [...shown].map((column) => column.natural);
  let [fits, tooWide] = [0, Math.max(0, ...natural) + 1];
  while (tooWide - fits > 1) {
    const middle = Math.floor((fits + tooWide) / 2);
    if (spanOf([...shown], middle) <= width) fits = middle;
    else tooWide = middle;
  }
  return fits;
}

function spanOf(columns: readonly Layout[], cap: number): number {
  return columns.reduce((span, column) => span + widthOf(column, cap), GAP * (columns.length - 1));
}

function widthOf({ natural, least }: Layout, cap: number): number {
  return Math.min(natural, Math.max(least, cap));
}
