import { compareDecimals, exactSum } from "../values/decimal-text.ts";
import type { Direction } from "./operation.ts";

interface Adjustment {
  readonly projectionPath: string;
  readonly size: string;
  readonly relative: boolean;
}

interface Position {
  readonly projection: string;
  readonly size: string | null;
}

/**
 * Which way an adjustment moves the limits, which count positions: nearer to zero or across it, orders find room that they did
 * not have; further away, they find less. A node without a position has the size 0.
 */
export function* adjustmentDirection(
  { projectionPath, size, relative }: Adjustment,
  before: readonly Position[],
): Generator<void, Direction> {
  const held = before.find(({ projection }) => projection === projectionPath)?.size ?? "0";
  const change = compareDecimals(relative ? exactSum([held, size]) : size, held);
  if (change === 0) return "neutral";
  const side = compareDecimals(held, "0");
  return side === 0 || change === side ? "tightens" : "loosens";
}
