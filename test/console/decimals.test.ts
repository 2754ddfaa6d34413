import { Decimal } from "decimal.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareDecimals, exactSum, groupDigits } from "../../src/core/values/decimal-text.ts";

const Exact = Decimal.clone({ precision: 200, toExpNeg: -9e15, toExpPos: 9e15 });

const decimal = fc
  .tuple(
    fc.constantFrom("", "-", "+"),
    fc.bigInt({ min: 0n, max: 10n ** 30n }),
    fc.option(fc.stringMatching(/^\d{1,20}$/)),
  )
  .map(([sign, whole, fraction]) => `${sign}${whole}${fraction === null ? "" : `.${fraction}`}`);

describe("D-PAGE 4: totals are exact sums of decimals", () => {
  it("as decimal.js adds them with all digits", () => {
    fc.assert(
      fc.property(fc.array(fc.option(decimal)), (values) => {
        const expected = values.reduce((total, value) => total.plus(value ?? 0), new Exact(0));
        expect(new Exact(exactSum(values)).equals(expected)).toBe(true);
        expect(exactSum(values)).toBe(expected.isZero() ? "0" : expected.toFixed());
      }),
    );
  });

  it("are ordered as decimal.js orders them, and what has no value comes first", () => {
    fc.assert(
      fc.property(decimal, decimal, (left, right) => {
        expect(compareDecimals(left, right)).toBe(new Exact(left).comparedTo(right));
        expect(compareDecimals(null, left)).toBe(-1);
        expect(compareDecimals(left, null)).toBe(1);
      }),
    );
    expect(compareDecimals(null, null)).toBe(0);
  });

  it.each([
    ["0", "0"],
    ["-1234567.891011", "-1,234,567.891011"],
    ["123", "123"],
    ["100000", "100,000"],
  ])("%s is shown as %s", (text, shown) => {
    expect(groupDigits(text)).toBe(shown);
  });
});
