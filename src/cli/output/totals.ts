import type { Column, Row } from "./columns.ts";
import { exactSum } from "./decimal.ts";

/** Totals of the columns that have one, exact to the last digit; undefined when no column has one. */
export function totalsOf(columns: readonly Column[], rows: readonly Row[]): ReadonlyMap<string, string> | undefined {
  const summed = columns.filter(({ total }) => total);
  if (summed.length === 0) return undefined;
  return new Map(summed.map(({ name }) => [name, exactSum(rows.map((row) => row[name]))]));
}
