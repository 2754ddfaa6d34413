import type { Decimal } from "decimal.js";
import { exact } from "../../core/values/exact-decimal.ts";
import type { Installation } from "./installation-schema.ts";
import type { Chance } from "./random.ts";

/** The instruments and their simulated market prices. */
export class Market {
  readonly #quotes = new Map<string, Quote>();

  constructor(instruments: Installation["instruments"]) {
    for (const [symbol, entry] of Object.entries(instruments)) {
      this.#quotes.set(symbol, new Quote(instrumentOf(symbol, entry), exact(entry.price)));
    }
  }

  get quotes(): readonly Quote[] {
    return [...this.#quotes.values()];
  }

  /** An instrument and its price, as it is and will be; `undefined` for a symbol that is not an instrument. */
  quote(symbol: string): Quote | undefined {
    return this.#quotes.get(symbol);
  }

  /** Sets a market price; throws {@link RangeError} for a symbol that is not an instrument. */
  setMark(symbol: string, price: Decimal): void {
    const quote = this.#quotes.get(symbol);
    if (!quote) throw new RangeError(`unknown symbol ${JSON.stringify(symbol)}`);
    quote.set(price);
  }

  /** Lets every price take a random step. */
  move(random: Chance): void {
    for (const quote of this.quotes) quote.move(random);
  }
}

export interface Instrument {
  readonly symbol: string;
  readonly exchange: string;
  readonly currency: string;
  readonly rootSymbol: string | undefined;
  /** Money per point of price and unit of size. */
  readonly multiplier: Decimal;
  readonly tickSize: Decimal;
  /** Generated orders are multiples of it. */
  readonly lotSize: Decimal;
}

function instrumentOf(symbol: string, entry: Installation["instruments"][string]): Instrument {
  return {
    symbol,
    exchange: entry.exchange,
    currency: entry.currency,
    rootSymbol: entry["root-symbol"],
    multiplier: exact(entry.multiplier),
    tickSize: exact(entry["tick-size"]),
    lotSize: exact(entry["lot-size"]),
  };
}

const MAX_TICKS_PER_MOVE = 3;
/** A simulated price stays within this share of its first value, so that a long run keeps plausible prices. */
const MAX_DRIFT = "0.1";

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
  move(random: Chance): void {
    const ticks = random.whole(-MAX_TICKS_PER_MOVE, MAX_TICKS_PER_MOVE);
    if (ticks === 0) return;
    const next = this.#mark.plus(this.instrument.tickSize.times(ticks));
    if (next.gte(this.#lowest) && next.lte(this.#highest)) this.set(next);
  }
}
