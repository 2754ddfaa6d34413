import { isObject } from "../values/basics.ts";
import type { Output } from "./table.ts";

/** Conditions of a row of a risk table: a value for each projection key; `"*"` is any. */
export type Conditions = Output<"getRiskTable">["rows"][number]["conditions"];

export function isConditions(value: unknown): value is Conditions {
  return isObject(value) && Object.values(value).every((one) => typeof one === "string");
}

/** How a limit that is null is written for people. */
export const UNLIMITED = "unlimited";

/** Names a row within its table, whatever the order of its conditions. */
export function rowKey(conditions: Conditions): string {
  return JSON.stringify(Object.entries(conditions).sort(([a], [b]) => (a < b ? -1 : 1)));
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

/** Whether a value has white space at an end. */
function hasLooseEnds(value: string): boolean {
  return value !== value.trim();
}

/** What is odd about a new row, if anything: white space at an end of a value is added by a sheet or a hand more often than on purpose. */
export function oddityOf(conditions: Conditions): string | undefined {
  const isOdd = Object.values(conditions).some(hasLooseEnds);
  return isOdd ? `The new row ${rowName(conditions)} has white space at an end of a value.` : undefined;
}
