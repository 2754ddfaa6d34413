import type { Decimal } from "decimal.js";
import type { Valuation } from "./holding.ts";
import type { Lot } from "./lot.ts";
import { ZERO } from "./numbers.ts";

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
