import type { Trade } from "./order.ts";

/** The latest trades, at most `capacity` of them; positions do not depend on it. */
export class TradeHistory {
  readonly #capacity: number;
  readonly #trades: Trade[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  add(trade: Trade): void {
    this.#trades.push(trade);
    if (this.#trades.length > this.#capacity) this.#trades.shift();
  }

  /** Oldest first. */
  latest(): Trade[] {
    return [...this.#trades];
  }
}
