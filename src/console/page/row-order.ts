import { sortedByDecimal } from "../../core/values/decimal-text.ts";

/** Brings rows into ascending order. */
export type Ascending<Row> = (rows: readonly Row[]) => Row[];

interface OrderedColumn<Row> {
  readonly id: string;
  readonly kind: string;
  readonly ascending?: Ascending<Row>;
}

/** The order of a table: by which column, and which way. */
export interface RowOrder {
  readonly column: string;
  readonly descending: boolean;
}

/** By exact decimals; rows without one come first. */
export function byDecimal<Row>(decimalOf: (row: Row) => string | null): Ascending<Row> {
  return (rows) => sortedByDecimal(rows, decimalOf);
}

/** By texts, character for character: a collation would take ten thousand rows too long. */
export function byText<Row>(textOf: (row: Row) => string): Ascending<Row> {
  return (rows) => sortedBy(rows, (row) => textOf(row).toLowerCase());
}

export function byNumber<Row>(numberOf: (row: Row) => number): Ascending<Row> {
  return (rows) => sortedBy(rows, numberOf);
}

function sortedBy<Row, Key extends string | number>(rows: readonly Row[], keyOf: (row: Row) => Key): Row[] {
  const keyed = rows.map((row) => ({ row, key: keyOf(row) }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return keyed.map(({ row }) => row);
}

/** Rows in an order; as the engine has them where there is none. */
export function inOrder<Row>(
  rows: readonly Row[],
  columns: readonly OrderedColumn<Row>[],
  order: RowOrder | undefined,
): readonly Row[] {
  const ascending = columns.find(({ id }) => id === order?.column)?.ascending;
  if (!ascending) return rows;
  const sorted = ascending(rows);
  return order?.descending ? sorted.reverse() : sorted;
}

/**
 * The order after a click on a column: what is looked for first, then the other way round, then as it was at the beginning. Of numbers
 * the largest are looked for, of states the worst, of names the first.
 */
export function nextOrder<Row>(
  { id, kind }: OrderedColumn<Row>,
  now: RowOrder | undefined,
  beginning: RowOrder | undefined,
): RowOrder | undefined {
  const descending = kind === "number";
  if (now?.column !== id) return { column: id, descending };
  return now.descending === descending ? { column: id, descending: !descending } : beginning;
}

/** An order as the address has it, `-size`. */
export function orderText(order: RowOrder | undefined): string {
  return order ? `${order.descending ? "-" : ""}${order.column}` : "";
}

/** The inverse of {@link orderText}. */
export function orderInText(text: string): RowOrder | undefined {
  return text === "" ? undefined : { column: text.replace(/^-/, ""), descending: text.startsWith("-") };
}
