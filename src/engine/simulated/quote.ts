import type { Decimal } from "decimal.js";
import type { Instrument } from "./instrument.ts";
import type { Random } from "./random.ts";

const MAX_TICKS_PER_MOVE = 3;
/** A simulated price stays within this share of its first value, so that a long run keeps plausible prices. */
const MAX_DRIFT = "0.1";

/** The market price of an instrument. */
export class Quote {
  readonly instrument: Instrument;
  readonly #lowest: Decimal;
  readonly #highest: Decimal;
  #mark: Decimal;
  #changes = 0;

  constructor(instrument: Instrument, first: Decimal) {
    this.instrument = instrument;
    this.#mark = first;
    const drift = first.times(MAX_DRIFT);
    this.#lowest = first.minus(drift);
    this.#highest = first.plus(drift);
  }

  get mark(): Decimal {
    return this.#mark;
  }

  /** How often the price has changed; what was computed from it holds as long as this is the same. */
  get changes(): number {
    return this.#changes;
  }

  set(price: Decimal): void {
    if (price.eq(this.#mark)) return;
    this.#mark = price;
    this.#changes += 1;
  }

  /** Lets the price take a random step. */
  move(random: Random): void {
    const ticks = random.integer(-MAX_TICKS_PER_MOVE, MAX_TICKS_PER_MOVE);
    if (ticks === 0) return;
    const next = this.#mark.plus(this.instrument.tickSize.times(ticks));
    if (next.gte(this.#lowest) && next.lte(this.#highest)) this.set(next);
  }
}
