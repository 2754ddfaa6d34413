import { exactSum, isDecimalText } from "./decimal-text.ts";

/** What of a position its total needs. */
type Summand = Readonly<Record<string, unknown>> & { readonly symbol?: unknown };

/** Whether positions have a common unit: they are all of one symbol, and so of one currency. The API names no currency otherwise. */
export function haveCommonUnit(positions: readonly Summand[]): boolean {
  const [first] = positions;
  return typeof first?.symbol === "string" && positions.every(({ symbol }) => symbol === first.symbol);
}

/** The exact sum of a field of positions that have a common unit; null where one of them has no value there. */
export function positionTotal(positions: readonly Summand[], field: string): string | null {
  const values = positions.map((position) => position[field]);
  return values.every(isDecimalText) ? exactSum(values) : null;
}
