import { Decimal } from "decimal.js";

// Apart from decimal.ts, which every entry loads: no program has to load decimal.js that does not calculate (decision D-PKG 8).

/**
 * Decimal arithmetic with enough precision for any two accepted decimals: 64 digits times 64 digits.
 * A clone, so that a host's own decimal.js settings are unaffected.
 */
export const ExactDecimal: typeof Decimal = Decimal.clone({ precision: 160, toExpNeg: -9e15, toExpPos: 9e15 });

/** Prints a decimal without exponent and without added trailing zeros. */
export function printDecimal(value: Decimal): string {
  return value.isZero() ? "0" : value.toFixed();
}
