import type { Decimal } from "decimal.js";
import { type Adjustment, adjustedSize, type Holding, type Valuation } from "./holding.ts";
import { afterTrade, FLAT_LOT, type Lot } from "./lot.ts";
import type { Market } from "./market.ts";
import { exact, ZERO } from "./numbers.ts";
import { type Fill, signed } from "./order.ts";

const ONE = exact("1");

/** Holding of a node that names a Symbol: a position in that one instrument, in its units. */
export class InstrumentHolding implements Holding {
  readonly #market: Market;
  readonly #symbol: string;
  #lot: Lot = FLAT_LOT;

  constructor(market: Market, symbol: string) {
    this.#market = market;
    this.#symbol = symbol;
  }

  get size(): Decimal {
    return this.#lot.size;
  }

  book({ order, size, price }: Fill): void {
    this.#lot = afterTrade(this.#lot, signed(order.side, size), price, order.instrument.multiplier);
  }

  /**
   * Sets the size, or adds to it; averageCost and realizedPnL become what is given, relative or not, and stay when they
   * are not given. A size that appears on a flat node without a cost leaves the average cost untracked: it is unknown.
   */
  adjust(adjustment: Adjustment): void {
    const size = adjustedSize(this.#lot.size, adjustment);
    const appears = this.#lot.size.isZero() && !size.isZero();
    const { averageCost = appears ? null : this.#lot.averageCost, realizedPnL = this.#lot.realizedPnL } = adjustment;
    this.#lot = { size, averageCost, realizedPnL };
  }

  value(): Valuation {
    const { size, averageCost, realizedPnL } = this.#lot;
    if (size.isZero()) {
      const unrealizedPnL = averageCost && ZERO;
      return { size, averageCost: null, realizedPnL, unrealizedPnL, marketValue: ZERO };
    }
    const mark = this.#market.mark(this.#symbol);
    const exposure = size.times(this.#market.instrument(this.#symbol)?.multiplier ?? ONE);
    return {
      size,
      averageCost,
      realizedPnL,
      unrealizedPnL: mark && averageCost ? mark.minus(averageCost).times(exposure) : null,
      marketValue: mark ? mark.times(exposure) : null,
    };
  }
}
