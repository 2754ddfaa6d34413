import { expect, it } from "vitest";
import { haltWords } from "../../src/cli/halts/halts.ts";
import { isoTimeOf } from "../../src/core/values/basics.ts";
import { since, utc } from "../../src/pages/words.ts";

/** The last millisecond that is a date, and numbers of an engine that are none (ECMAScript, "Time Values and Time Range"). */
const LAST = 8.64e15;
const NO_DATES = [LAST + 1, Number.MAX_SAFE_INTEGER, -LAST - 1];

it("milliseconds of an engine that are not a date are shown as they are, and hide nothing else", () => {
  for (const ms of NO_DATES) {
    const text = String(ms);
    expect([isoTimeOf(ms), since(ms), utc(ms)]).toEqual([text, text, text]);
    const halt = { projectionPath: "", reason: "drill", since: ms, by: null };
    expect(haltWords(halt)).toBe(`all trading halted since ${text}: drill`);
  }
});

it("those that are a date are shown as one", () => {
  const now = Date.now();
  expect(since(now)).toBe(utc(now));
  expect(since(0)).toBe("1970-01-01 00:00:00 UTC");
  expect(isoTimeOf(LAST)).toBe("+275760-09-13T00:00:00.000Z");
  expect(utc(LAST)).toBe("00:00:00 UTC");
});
