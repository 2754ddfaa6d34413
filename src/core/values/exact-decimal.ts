import { Decimal } from "decimal.js";

/**
 * Decimal arithmetic with enough precision for any two accepted decimals: 64 digits times 64 digits.
 * A clone, so that a host's own decimal.js settings are unaffected.
 */
export const ExactDecimal: typeof Decimal = Decimal.clone({ precision: 160, toExpNeg: -9e15, toExpPos: 9e15 });

/** Prints a decimal without exponent and without added trailing zeros. */
export function printDecimal(value: Decimal): string {
  return value.isZero() ? "0" : value.toFixed();
}
