import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { FOLDER } from "./python-engine-process.ts";

/** What `decimal_text` makes of Python expressions of its arguments. */
async function textsOf(expressions: readonly string[]): Promise<unknown> {
  const program = `
import json
from decimal import Decimal
from decimals import decimal_text

def text(*given, **named):
    try:
        return decimal_text(*given, **named)
    except (TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"

print(json.dumps([${expressions.map((expression) => `text(${expression})`).join(", ")}]))
`;
  const { stdout } = await promisify(execFile)("python3", ["-B", "-c", program], { cwd: FOLDER });
  return JSON.parse(stdout);
}

describe("decimal_text of the Python engine makes decimals of the contract", () => {
  it("of floats: every digit of the shortest text, and no exponent", async () => {
    const texts = await textsOf(["1.0998819999999998", "1e-7", "1e22", "0.1 + 0.2", "-2.50", "-0.0", "-1.5e-9"]);
    expect(texts).toEqual([
      "1.0998819999999998",
      "0.0000001",
      `1${"0".repeat(22)}`,
      "0.30000000000000004",
      "-2.5",
      "0",
      "-0.0000000015",
    ]);
  });

  it("of Decimals and integers: every digit, without trailing zeros", async () => {
    const large = `${"9".repeat(61)}.25`;
    const texts = await textsOf([`Decimal("${large}")`, 'Decimal("1E+3")', 'Decimal("1.500")', "100", "-7"]);
    expect(texts).toEqual([large, "1000", "1.5", "100", "-7"]);
  });

  it("rounded to the places of a price, where they are given", async () => {
    const texts = await textsOf(["1.0998819999999998, places=6", "1e-300, places=8", "12345.678, places=0"]);
    expect(texts).toEqual(["1.099882", "0", "12346"]);
  });

  it("NaN, infinities and None are values that there are not: null", async () => {
    const texts = await textsOf(['float("nan")', 'float("-inf")', 'Decimal("sNaN")', 'Decimal("Infinity")', "None"]);
    expect(texts).toEqual([null, null, null, null, null]);
  });

  it("what is not a number, or has more than 64 characters, is an error that says so", async () => {
    expect(await textsOf(['"1e-7"', "True", "1e300", "1e300, places=2", "1e-300"])).toEqual([
      "TypeError: '1e-7' is not a number",
      "TypeError: True is not a number",
      ...Array(2).fill(expect.stringMatching(/^ValueError: 1e\+300 has more than 64 characters/)),
      expect.stringMatching(/^ValueError: 1e-300 has more than 64 characters/),
    ]);
  });
});
