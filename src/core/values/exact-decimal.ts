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

export const ZERO: Decimal = new ExactDecimal(0);

/** Longest text that a reply may carry as a decimal (decision D-VAL 1). */
const MAX_LENGTH = 64;

/** Reads a decimal string that has been checked. */
export function exact(text: string): Decimal {
  return new ExactDecimal(text);
}

/** Whether a value can be shown in a reply without losing digits. */
export function isPrintable(value: Decimal): boolean {
  return printDecimal(value).length <= MAX_LENGTH;
}

/**
 * Prints a computed value. A product of very long factors may not fit into a decimal of the API: then its last decimals
 * are rounded away (half-even), and `null` stands for a value whose integer part alone is too long.
 */
export function printValue(value: Decimal | null): string | null {
  if (value === null) return null;
  const text = printDecimal(value);
  if (text.length <= MAX_LENGTH) return text;
  const whole = value.toFixed(0).length;
  if (whole > MAX_LENGTH) return null;
  const decimals = Math.max(0, MAX_LENGTH - whole - 1);
  return printDecimal(value.toDecimalPlaces(decimals, ExactDecimal.ROUND_HALF_EVEN));
}
