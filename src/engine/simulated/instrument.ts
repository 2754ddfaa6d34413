import type { Decimal } from "decimal.js";
import type { Installation } from "./installation-schema.ts";
import { exact } from "./numbers.ts";

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

/** The instrument that an installation describes. */
export function instrumentOf(symbol: string, entry: Installation["instruments"][string]): Instrument {
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
