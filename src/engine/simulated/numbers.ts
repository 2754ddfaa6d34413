import type { Decimal } from "decimal.js";
import { ExactDecimal, printDecimal } from "../../core/values/exact-decimal.ts";

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
