import type { Decimal } from "decimal.js";
import type { Installation } from "./installation-schema.ts";
import { exact } from "./numbers.ts";
import type { Random } from "./random.ts";

/** A tradable instrument. */
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

const MAX_TICKS_PER_MOVE = 3;
/** A simulated price stays within this share of its first value, so that a long run keeps plausible prices. */
const MAX_DRIFT = "0.1";

/** The instruments and their simulated market prices. */
export class Market {
  readonly #instruments = new Map<string, Instrument>();
  readonly #first = new Map<string, Decimal>();
  readonly #marks = new Map<string, Decimal>();

  constructor(instruments: Installation["instruments"]) {
    for (const [symbol, entry] of Object.entries(instruments)) {
      this.#instruments.set(symbol, instrumentOf(symbol, entry));
      this.#first.set(symbol, exact(entry.price));
      this.#marks.set(symbol, exact(entry.price));
    }
  }

  get instruments(): Instrument[] {
    return [...this.#instruments.values()];
  }

  instrument(symbol: string): Instrument | undefined {
    return this.#instruments.get(symbol);
  }

  /** Market price of an instrument; `undefined` for a symbol that is no instrument. */
  mark(symbol: string): Decimal | undefined {
    return this.#marks.get(symbol);
  }

  /** Sets a market price; throws {@link RangeError} for a symbol that is no instrument. */
  setMark(symbol: string, price: Decimal): void {
    if (!this.#instruments.has(symbol)) throw new RangeError(`unknown symbol ${JSON.stringify(symbol)}`);
    this.#marks.set(symbol, price);
  }

  /** Lets every price take a random step. */
  move(random: Random): void {
    for (const instrument of this.#instruments.values()) this.#step(instrument, random);
  }

  #step({ symbol, tickSize }: Instrument, random: Random): void {
    const mark = this.#marks.get(symbol);
    const first = this.#first.get(symbol);
    if (!mark || !first) return;
    const next = mark.plus(tickSize.times(random.integer(-MAX_TICKS_PER_MOVE, MAX_TICKS_PER_MOVE)));
    if (next.minus(first).abs().lte(first.times(MAX_DRIFT))) this.#marks.set(symbol, next);
  }
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
