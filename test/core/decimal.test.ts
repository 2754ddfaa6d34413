import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decimalOrNaN, decimalString } from "../../src/core/values/decimal.ts";
import { compareDecimals, exactSum } from "../../src/core/values/decimal-text.ts";
import { ExactDecimal, printDecimal } from "../../src/core/values/exact-decimal.ts";

const digits = fc.stringMatching(/^[0-9]{1,30}$/);
const decimal = fc
  .tuple(fc.constantFrom("", "+", "-"), digits, fc.option(digits, { nil: undefined }))
  .map(([sign, whole, fraction]) => `${sign}${whole}${fraction === undefined ? "" : `.${fraction}`}`);

describe("decimals", () => {
  it("D-VAL 1: pass through digit for digit", () => {
    fc.assert(fc.property(decimal, (text) => void expect(decimalString().parse(text)).toBe(text)));
  });

  it("D-VAL 1: are printed without change and without an exponent", () => {
    fc.assert(
      fc.property(decimal, (text) => {
        const printed = printDecimal(new ExactDecimal(text));
        expect(printed).toMatch(/^-?\d+(\.\d+)?$/);
        expect(new ExactDecimal(printed).eq(text)).toBe(true);
      }),
    );
  });

  it("D-VAL 1: have exact sums and products", () => {
    const scale = 10n ** 30n;
    const units = (text: string): bigint => BigInt(new ExactDecimal(text).times(scale.toString()).toFixed());
    fc.assert(
      fc.property(decimal, decimal, (left, right) => {
        const a = new ExactDecimal(left);
        expect(units(printDecimal(a.plus(right)))).toBe(units(left) + units(right));
        expect(
          BigInt(
            a
              .times(right)
              .times((scale * scale).toString())
              .toFixed(),
          ),
        ).toBe(units(left) * units(right));
      }),
    );
  });

  it("D-VAL 1: compare and add up as text, exactly", () => {
    fc.assert(
      fc.property(decimal, decimal, (left, right) => {
        expect(compareDecimals(left, right)).toBe(new ExactDecimal(left).comparedTo(right));
        expect(exactSum([left, right])).toBe(printDecimal(new ExactDecimal(left).plus(right)));
      }),
    );
  });

  it.each([
    "",
    ".5",
    "1.",
    "1e5",
    "0x10",
    "Infinity",
    "-Infinity",
    "NaN",
    "1_000",
    "1,0",
    " 1",
    "1 ",
    "--1",
    "٣",
    "1".repeat(65),
  ])("D-VAL 1: do not include %j", (text) => {
    expect(decimalString().safeParse(text).success).toBe(false);
  });

  it("D-VAL 1: are not read from a JSON number", () => {
    expect(decimalString().safeParse(5).success).toBe(false);
  });

  it("D-VAL 1: have up to 64 characters; NaN is one only where tracking can stop", () => {
    expect(decimalString().safeParse("1".repeat(64)).success).toBe(true);
    expect(decimalOrNaN().safeParse("NaN").success).toBe(true);
    expect(decimalOrNaN().safeParse("nan").success).toBe(false);
  });
});
