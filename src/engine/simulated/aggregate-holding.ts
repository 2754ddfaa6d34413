import type { Decimal } from "decimal.js";
import { ZERO } from "../../core/values/exact-decimal.ts";
import { EngineRejection } from "../engine.ts";
import { type Adjustment, adjustedSize, type Holding, type Valuation } from "./holding.ts";
import { InstrumentHolding } from "./instrument-holding.ts";
import type { Market } from "./market.ts";
import { type Fill, signed } from "./order.ts";
import { legOf, type Unit } from "./unit.ts";

const SUMMED = ["realizedPnL", "unrealizedPnL", "marketValue"] as const;

/**
 * Holding of a node that spans instruments: one that names a RootSymbol (`contracts`) or a Currency (`money`).
 *
 * Each instrument is kept for itself, since prices of two instruments have no meaningful average: PnL and market value
 * are sums over the instruments, and there is no average cost. The size of a RootSymbol node is the sum of its
 * contracts. The size of a Currency node is money: what sales brought in less what purchases cost, without commission.
 * As long as no one adjusts it, size + marketValue = realizedPnL + unrealizedPnL there.
 */
export class AggregateHolding implements Holding {
  readonly #market: Market;
  readonly #unit: Unit;
  readonly #parts = new Map<string, InstrumentHolding>();
  #size: Decimal = ZERO;
  /** Contracts that an adjustment brought in: they belong to no instrument, so they cannot be valued. */
  #unattributed: Decimal = ZERO;
  /** Adjustments to the realized PnL of the parts; `null` when the PnL is not tracked. */
  #adjustedPnL: Decimal | null = ZERO;

  constructor(market: Market, unit: Unit) {
    this.#market = market;
    this.#unit = unit;
  }

  get size(): Decimal {
    return this.#size;
  }

  get instruments(): number {
    return this.#parts.size;
  }

  get priceChanges(): number {
    let changes = 0;
    for (const part of this.#parts.values()) changes += part.priceChanges;
    return changes;
  }

  book(fill: Fill): void {
    const { side, size } = legOf(this.#unit, fill.order, fill.size, fill.price);
    this.#size = this.#size.plus(signed(side, size));
    const { symbol } = fill.order.instrument;
    const part = this.#parts.get(symbol) ?? new InstrumentHolding(this.#market.quote(symbol));
    part.book(fill);
    this.#parts.set(symbol, part);
  }

  /** As for an instrument; an average cost cannot be set, since there is none. */
  adjust(adjustment: Adjustment): void {
    if (adjustment.averageCost) {
      throw new EngineRejection("rejected", "averageCost: a node that spans instruments has no average cost");
    }
    const size = adjustedSize(this.#size, adjustment);
    this.#unattributed = this.#unattributed.plus(size.minus(this.#size));
    this.#size = size;
    const { realizedPnL } = adjustment;
    if (realizedPnL !== undefined) this.#adjustedPnL = realizedPnL?.minus(this.#realized()) ?? null;
  }

  value(): Valuation {
    const valued = this.#unit === "money" || this.#unattributed.isZero();
    const sums = { realizedPnL: ZERO, unrealizedPnL: ZERO, marketValue: ZERO };
    for (const part of this.#parts.values()) {
      const value = part.value();
      // Parts are never adjusted and their instruments have a price, so none of these values is null.
      for (const field of SUMMED) sums[field] = sums[field].plus(value[field] ?? ZERO);
    }
    return {
      size: this.#size,
      averageCost: null,
      realizedPnL: this.#adjustedPnL?.plus(sums.realizedPnL) ?? null,
      unrealizedPnL: valued ? sums.unrealizedPnL : null,
      marketValue: valued ? sums.marketValue : null,
    };
  }

  #realized(): Decimal {
    return [...this.#parts.values()].reduce((sum, { realizedPnL }) => sum.plus(realizedPnL ?? ZERO), ZERO);
  }
}
