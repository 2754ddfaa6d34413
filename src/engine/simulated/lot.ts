import { Decimal } from "decimal.js";
import { ExactDecimal } from "../../core/values/decimal.ts";
import type { Valuation } from "./holding.ts";
import { ZERO } from "./numbers.ts";

/** Position in one instrument by the average-cost method. */
export interface Lot {
  /** Negative for a short position. */
  readonly size: Decimal;
  /** Average price of the open size; `null` when it is not tracked; without meaning while `size` is zero. */
  readonly averageCost: Decimal | null;
  /** `null` when it is not tracked. */
  readonly realizedPnL: Decimal | null;
}

/** A lot before its first trade. */
export const FLAT_LOT: Lot = { size: ZERO, averageCost: ZERO, realizedPnL: ZERO };

/** Decimals of an average cost whose division leaves a remainder, unless the prices themselves have more. */
const AVERAGE_COST_DECIMALS = 12;

/**
 * The lot after a trade of `traded` (negative for a sale). More of the same side is averaged in; less realizes PnL at
 * the average cost; what goes through zero opens a new position at the trade's price. A cost that is not tracked stays
 * so, and size that is given up at an unknown cost makes the realized PnL unknown too.
 */
export function afterTrade(lot: Lot, traded: Decimal, price: Decimal, multiplier: Decimal): Lot {
  const size = lot.size.plus(traded);
  if (lot.size.isZero() || lot.size.s === traded.s) {
    return { ...lot, size, averageCost: averagedCost(lot, traded, price) };
  }
  const throughZero = !size.isZero() && size.s !== lot.size.s;
  return {
    size,
    averageCost: throughZero && lot.averageCost ? price : lot.averageCost,
    realizedPnL: realizedAfter(lot, traded, price, multiplier),
  };
}

function averagedCost({ size, averageCost }: Lot, traded: Decimal, price: Decimal): Decimal | null {
  if (averageCost === null) return null;
  if (size.isZero()) return price;
  // The only division of the engine, hence the only rounding.
  const average = size.times(averageCost).plus(traded.times(price)).div(size.plus(traded));
  const decimals = Math.max(AVERAGE_COST_DECIMALS, price.decimalPlaces(), averageCost.decimalPlaces());
  return average.toDecimalPlaces(decimals, ExactDecimal.ROUND_HALF_EVEN);
}

function realizedAfter(lot: Lot, traded: Decimal, price: Decimal, multiplier: Decimal): Decimal | null {
  if (lot.realizedPnL === null || lot.averageCost === null) return null;
  const closed = Decimal.min(lot.size.abs(), traded.abs()).times(lot.size.s);
  return lot.realizedPnL.plus(price.minus(lot.averageCost).times(closed).times(multiplier));
}

/** What a lot is worth at a market price; `exposure` is the money that it gains when the price rises by one. */
export function valuationOf(lot: Lot, exposure: Decimal, mark: Decimal | undefined): Valuation {
  const { size, averageCost, realizedPnL } = lot;
  if (size.isZero()) {
    return { size, averageCost: null, realizedPnL, unrealizedPnL: averageCost && ZERO, marketValue: ZERO };
  }
  const unrealizedPnL = mark && averageCost ? mark.minus(averageCost).times(exposure) : null;
  return { ...lot, unrealizedPnL, marketValue: mark?.times(exposure) ?? null };
}
