import { Decimal } from "decimal.js";
import { ExactDecimal } from "../../core/values/exact-decimal.ts";
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

/** What a lot is worth at a market price: it never changes, and what is not asked for is not computed. */
export class LotValuation implements Valuation {
  readonly #lot: Lot;
  readonly #exposure: Decimal;
  readonly #mark: Decimal | undefined;
  #unrealizedPnL: Decimal | null | undefined;
  #marketValue: Decimal | null | undefined;

  /** `exposure` is the money that the lot gains when the price rises by one. */
  constructor(lot: Lot, exposure: Decimal, mark: Decimal | undefined) {
    this.#lot = lot;
    this.#exposure = exposure;
    this.#mark = mark;
  }

  /** Whether it is that of this lot at this price. */
  isOf(lot: Lot, mark: Decimal | undefined): boolean {
    return this.#lot === lot && this.#mark === mark;
  }

  get size(): Decimal {
    return this.#lot.size;
  }

  get averageCost(): Decimal | null {
    return this.#lot.size.isZero() ? null : this.#lot.averageCost;
  }

  get realizedPnL(): Decimal | null {
    return this.#lot.realizedPnL;
  }

  get unrealizedPnL(): Decimal | null {
    if (this.#unrealizedPnL === undefined) this.#unrealizedPnL = this.#unrealized();
    return this.#unrealizedPnL;
  }

  get marketValue(): Decimal | null {
    if (this.#marketValue === undefined) this.#marketValue = this.#market();
    return this.#marketValue;
  }

  #unrealized(): Decimal | null {
    const { size, averageCost } = this.#lot;
    if (size.isZero()) return averageCost && ZERO;
    return this.#mark && averageCost ? this.#mark.minus(averageCost).times(this.#exposure) : null;
  }

  #market(): Decimal | null {
    if (this.#lot.size.isZero()) return ZERO;
    return this.#mark ? this.#mark.times(this.#exposure) : null;
  }
}
