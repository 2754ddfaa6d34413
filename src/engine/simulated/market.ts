import type { Decimal } from "decimal.js";
import type { Installation } from "./installation-schema.ts";
import { type Instrument, instrumentOf } from "./instrument.ts";
import { exact } from "./numbers.ts";
import { Quote } from "./quote.ts";
import type { Random } from "./random.ts";
import { forEachInSteps, type Steps } from "./steps.ts";

const MOVES_AT_A_TIME = 250;

/** The instruments and their simulated market prices. */
export class Market {
  readonly instruments: readonly Instrument[];
  readonly #quotes = new Map<string, Quote>();

  constructor(instruments: Installation["instruments"]) {
    for (const [symbol, entry] of Object.entries(instruments)) {
      this.#quotes.set(symbol, new Quote(instrumentOf(symbol, entry), exact(entry.price)));
    }
    this.instruments = [...this.#quotes.values()].map(({ instrument }) => instrument);
  }

  instrument(symbol: string): Instrument | undefined {
    return this.#quotes.get(symbol)?.instrument;
  }

  /** Price of an instrument, as it is and will be; `undefined` for a symbol that is no instrument. */
  quote(symbol: string): Quote | undefined {
    return this.#quotes.get(symbol);
  }

  /** Market price of an instrument now; `undefined` for a symbol that is no instrument. */
  mark(symbol: string): Decimal | undefined {
    return this.#quotes.get(symbol)?.mark;
  }

  /** Sets a market price; throws {@link RangeError} for a symbol that is no instrument. */
  setMark(symbol: string, price: Decimal): void {
    const quote = this.#quotes.get(symbol);
    if (!quote) throw new RangeError(`unknown symbol ${JSON.stringify(symbol)}`);
    quote.set(price);
  }

  /** Lets every price take a random step. */
  move(random: Random): Steps {
    return forEachInSteps([...this.#quotes.values()], MOVES_AT_A_TIME, (quote) => quote.move(random));
  }
}
