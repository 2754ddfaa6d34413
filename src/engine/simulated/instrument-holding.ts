import { Decimal } from "decimal.js";
import { ExactDecimal, exact, ZERO } from "../../core/values/exact-decimal.ts";
import { type Adjustment, adjustedSize, type Holding, type Valuation } from "./holding.ts";
import type { Quote } from "./market.ts";
import { type Fill, signed } from "./order.ts";

const ONE = exact("1");

/** Holding of a node that names a Symbol: a position in that one instrument, in its units. */
export class InstrumentHolding implements Holding {
  readonly instruments = 1;
  readonly #quote: Quote | undefined;
  #lot: Lot = FLAT_LOT;
  #exposure: Decimal = ZERO;
  #kept: { readonly mark: Decimal | undefined; readonly valuation: Valuation } | undefined;

  /** A symbol that is not an instrument has no quote and cannot be valued. */
  constructor(quote: Quote | undefined) {
    this.#quote = quote;
  }

  get size(): Decimal {
    return this.#lot.size;
  }

  get realizedPnL(): Decimal | null {
    return this.#lot.realizedPnL;
  }

  get priceChanges(): number {
    return this.#quote?.changes ?? 0;
  }

  book({ order, size, price }: Fill): void {
    this.#take(afterTrade(this.#lot, signed(order.side, size), price, order.instrument.multiplier));
  }

  /**
   * Sets the size, or adds to it; averageCost and realizedPnL become what is given, relative or not, and stay when they
   * are not given. A size that appears on a flat node without a cost leaves the average cost untracked: it is unknown.
   */
  adjust(adjustment: Adjustment): void {
    const size = adjustedSize(this.#lot.size, adjustment);
    const appears = this.#lot.size.isZero() && !size.isZero();
    const { averageCost = appears ? null : this.#lot.averageCost, realizedPnL = this.#lot.realizedPnL } = adjustment;
    this.#take({ size, averageCost, realizedPnL });
  }

  /** Computed once until the position or the price changes. */
  value(): Valuation {
    const mark = this.#quote?.mark;
    if (this.#kept?.mark !== mark) this.#kept = undefined;
    this.#kept ??= { mark, valuation: valuationOf(this.#lot, this.#exposure, mark) };
    return this.#kept.valuation;
  }

  #take(lot: Lot): void {
    this.#lot = lot;
    this.#exposure = lot.size.times(this.#quote?.instrument.multiplier ?? ONE);
    this.#kept = undefined;
  }
}

/** Position in one instrument by the average-cost method. */
interface Lot {
  /** Negative for a short position. */
  readonly size: Decimal;
  /** Average price of the open size; `null` when it is not tracked; without meaning while `size` is zero. */
  readonly averageCost: Decimal | null;
  /** `null` when it is not tracked. */
  readonly realizedPnL: Decimal | null;
}

/** A lot before its first trade. */
const FLAT_LOT: Lot = { size: ZERO, averageCost: ZERO, realizedPnL: ZERO };

/** Decimals of an average cost whose division leaves a remainder, unless the prices themselves have more. */
const AVERAGE_COST_DECIMALS = 12;

/**
 * The lot after a trade of `traded` (negative for a sale). More of the same side is averaged in; less realizes PnL at
 * the average cost; what goes through zero opens a new position at the trade's price. A cost that is not tracked stays
 * so, and size that is given up at an unknown cost makes the realized PnL unknown too.
 */
function afterTrade(lot: Lot, traded: Decimal, price: Decimal, multiplier: Decimal): Lot {
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

/** Values a lot at a market price; `exposure` is the money that it gains when the price rises by one. */
function valuationOf(lot: Lot, exposure: Decimal, mark: Decimal | undefined): Valuation {
  const { size, averageCost, realizedPnL } = lot;
  if (size.isZero()) {
    return { size, averageCost: null, realizedPnL, unrealizedPnL: averageCost && ZERO, marketValue: ZERO };
  }
  const unrealizedPnL = mark && averageCost ? mark.minus(averageCost).times(exposure) : null;
  return { ...lot, unrealizedPnL, marketValue: mark?.times(exposure) ?? null };
}
