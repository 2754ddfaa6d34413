import type { Decimal } from "decimal.js";
import { isPrintable } from "../../core/values/exact-decimal.ts";
import { EngineRejection } from "../engine.ts";
import type { Fill } from "./order.ts";

/** An adjustment as the engine reads it: `null` stops tracking, `undefined` leaves a value as it is. */
export interface Adjustment {
  readonly size: Decimal;
  /** Whether `size` is a change; the other values are absolute in any case. */
  readonly relative: boolean;
  readonly averageCost: Decimal | null | undefined;
  readonly realizedPnL: Decimal | null | undefined;
}

/** Value of a holding; `null` where there is none. */
export interface Valuation {
  readonly size: Decimal;
  readonly averageCost: Decimal | null;
  readonly realizedPnL: Decimal | null;
  readonly unrealizedPnL: Decimal | null;
  readonly marketValue: Decimal | null;
}

export interface Holding {
  readonly size: Decimal;
  /** How many instruments have to be valued for it. */
  readonly instruments: number;
  /** How often one of their prices has changed; never less than before. */
  readonly priceChanges: number;
  book(fill: Fill): void;
  /** Throws {@link EngineRejection} and changes nothing when the adjustment cannot be made. */
  adjust(adjustment: Adjustment): void;
  value(): Valuation;
}

/** The size after an adjustment; a sum that no decimal of the API can express is rejected. */
export function adjustedSize(current: Decimal, { size, relative }: Adjustment): Decimal {
  const adjusted = relative ? current.plus(size) : size;
  if (isPrintable(adjusted)) return adjusted;
  throw new EngineRejection(
    "rejected",
    "size: the sum of the current value and the change has more than 64 characters",
  );
}
