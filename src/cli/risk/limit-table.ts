import { type Conditions, hasLooseEnds, rowName } from "../../core/operations/row-names.ts";
import type { Output } from "../../core/operations/table.ts";

/** A risk table, as the API returns it and as a file holds it. */
export type LimitTable = Output<"getRiskTable">;
export type LimitRow = LimitTable["rows"][number];

/** Limits of a row by name: decimals as text; null is unlimited. */
export type Limits = LimitRow["limits"];

/** Keys of a projection, in its order; none for the root. */
export function keysOf(projection: string): string[] {
  return projection === "" ? [] : projection.split("/");
}

/**
 * What is odd about a new row: white space at an end of a value, which is added by a sheet or a hand more often than on purpose. Undefined where
 * nothing is.
 */
export function oddityOf(conditions: Conditions): string | undefined {
  const isOdd = Object.values(conditions).some(hasLooseEnds);
  return isOdd ? `The new row ${rowName(conditions)} has white space at an end of a value.` : undefined;
}
