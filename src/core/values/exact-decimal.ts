import { Decimal } from "decimal.js";

/**
 * Arithmetic wide enough for any two decimals that the API accepts: 64 digits times 64 digits.
 * A clone, so that a host's own decimal.js settings stay as they are.
 */
export const ExactDecimal: typeof Decimal = Decimal.clone({ precision: 160, toExpNeg: -9e15, toExpPos: 9e15 });

/** Prints a decimal without exponent and without trailing zeros of its own making. */
export function printDecimal(value: Decimal): string {
  return value.isZero() ? "0" : value.toFixed();
}
