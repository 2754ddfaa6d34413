import type { Decimal } from "decimal.js";
import { type Adjustment, adjustedSize, type Holding, type Valuation } from "./holding.ts";
import { afterTrade, FLAT_LOT, type Lot, valuationOf } from "./lot.ts";
import type { Quote } from "./market.ts";
import { exact, ZERO } from "./numbers.ts";
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

  /** Computed once until the position or the price is another. */
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
