import { z } from "zod";
import { once } from "./basics.ts";

const MAX_LENGTH = 64;
const DECIMAL_PATTERN = "[+-]?[0-9]+(\\.[0-9]+)?";
const DECIMAL = new RegExp(`^${DECIMAL_PATTERN}$`);

function isDecimal(text: string): boolean {
  return text.length <= MAX_LENGTH && DECIMAL.test(text);
}

const RULE = `must be a decimal string such as "12.5" (digits with an optional sign and fraction, at most ${MAX_LENGTH} characters)`;

/**
 * A decimal number as text: optional sign, digits, optional fraction, at most 64 characters (decision D-VAL 1).
 * The text itself is the value; it is never converted, so no digit is lost.
 */
export const decimalString = once(() =>
  z
    .string({ error: RULE })
    .refine(isDecimal, { error: RULE })
    .meta({
      id: "Decimal",
      description:
        "A decimal number as text: optional sign, digits, optional fraction. No exponent, never a JSON number. Every digit counts: no binary floating point.",
      pattern: `^${DECIMAL_PATTERN}$`,
      maxLength: MAX_LENGTH,
      examples: ["100", "-2.5"],
    }),
);

/** A decimal, or `NaN` to stop tracking the value (specification, `POST /positions/adjust`). */
export const decimalOrNaN = once(() =>
  z
    .string({ error: `${RULE}, or "NaN"` })
    .refine((text) => text === "NaN" || isDecimal(text), { error: `${RULE}, or "NaN"` })
    .meta({
      id: "DecimalOrNaN",
      description: 'A decimal number as text, or "NaN": stop tracking the value.',
      pattern: `^(${DECIMAL_PATTERN}|NaN)$`,
      maxLength: MAX_LENGTH,
      examples: ["101.25", "NaN"],
    }),
);

/** A decimal, or `null` where there is no value. */
export const nullableDecimal = once(() =>
  decimalString()
    .nullable()
    .meta({
      id: "NullableDecimal",
      description: "A decimal number as text, or null where there is no value.",
      examples: ["100", null],
    }),
);

/** 64-bit integer as a JSON number (decision D-VAL 7). */
export const long = once(() => z.int().meta({ format: "int64" }));
