import type { Output } from "../../core/operations/table.ts";

/** A risk table, as the API returns it and as a file holds it. */
export type LimitTable = Output<"getRiskTable">;
export type LimitRow = LimitTable["rows"][number];

/** Conditions of a row: a value for each projection key; `"*"` is any. */
export type Conditions = LimitRow["conditions"];

/** Limits of a row by name: decimals as text; null is unlimited. */
export type Limits = LimitRow["limits"];

/** How a limit that is null is written for people. */
export const UNLIMITED = "unlimited";

/** Keys of a projection, in its order; none for the root. */
export function keysOf(projection: string): string[] {
  return projection === "" ? [] : projection.split("/");
}

/** Names a row within its table, whatever the order of its conditions. */
export function rowKey(conditions: Conditions): string {
  return JSON.stringify(Object.entries(conditions).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * A row in words: `Account=GOLD Symbol=*`; the one row of the root table is `(root)`. A value with white space at an end is quoted, as it looks
 * like another one.
 */
export function rowName(conditions: Conditions): string {
  const pairs = Object.entries(conditions).map(
    ([key, value]) => `${key}=${hasLooseEnds(value) ? JSON.stringify(value) : value}`,
  );
  return pairs.length === 0 ? "(root)" : pairs.join(" ");
}

/**
 * What is odd about a new row: white space at an end of a value, which is added by a sheet or a hand more often than on purpose. Undefined where
 * nothing is.
 */
export function oddityOf(conditions: Conditions): string | undefined {
  const isOdd = Object.values(conditions).some(hasLooseEnds);
  return isOdd ? `The new row ${rowName(conditions)} has white space at an end of a value.` : undefined;
}

function hasLooseEnds(value: string): boolean {
  return value !== value.trim();
}
