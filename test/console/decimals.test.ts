import { Decimal } from "decimal.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  compareDecimals,
  exactSum,
  groupDigits,
  haveCommonUnit,
  positionTotal,
  roundedDecimal,
} from "../../src/core/values/decimal-text.ts";

const Exact = Decimal.clone({ precision: 200, toExpNeg: -9e15, toExpPos: 9e15 });

const decimal = fc
  .tuple(
    fc.constantFrom("", "-", "+"),
    fc.bigInt({ min: 0n, max: 10n ** 30n }),
    fc.option(fc.stringMatching(/^\d{1,20}$/)),
  )
  .map(([sign, whole, fraction]) => `${sign}${whole}${fraction === null ? "" : `.${fraction}`}`);

describe("D-PAGE 4: totals of positions", () => {
  const position = (symbol: string | null, size: string | null) => ({ symbol, size });

  it.each([
    ["positions of one symbol", [position("AAPL", "0.1"), position("AAPL", "0.2")], "0.3"],
    ["one symbol with an unknown value", [position("AAPL", "190"), position("AAPL", null)], null],
    ["one symbol with nothing but unknown values", [position("AAPL", null)], null],
    ["a symbol that is called like a number, with NaN", [position("700", "NaN")], null],
  ])("of %s", (_, positions, total) => {
    expect(haveCommonUnit(positions)).toBe(true);
    expect(positionTotal(positions, "size")).toBe(total);
  });

  it.each([
    ["different symbols", [position("AAPL", "1"), position("MSFT", "2")]],
    ["positions without a symbol", [position(null, "1"), position(null, "2")]],
    ["nothing", []],
  ])("%s have no common unit", (_, positions) => expect(haveCommonUnit(positions)).toBe(false));
});

describe("sums of decimals are exact", () => {
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

  it("are rounded half away from zero, as decimal.js rounds them", () => {
    fc.assert(
      fc.property(decimal, fc.integer({ min: 0, max: 6 }), (text, places) => {
        const rounded = roundedDecimal(text, places);
        const expected = new Exact(text).toDecimalPlaces(places, Exact.ROUND_HALF_UP);
        expect(new Exact(rounded).equals(expected)).toBe(true);
        expect(rounded.startsWith("-"), "a loss stays one").toBe(text.startsWith("-"));
      }),
    );
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
