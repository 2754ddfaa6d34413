import { expect, it } from "vitest";
import { Repeats } from "../../src/core/logger.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

const MINUTE_MS = 60_000;

it("D-LOG 27: of one kind ten causes are told in a pause, and however many there were, new ones after it", () => {
  const clock = new ManualClock();
  const repeats = new Repeats(clock, MINUTE_MS);
  const told = (name: string) =>
    Array.from({ length: 50 }, (_, at) => repeats.isDue("a log-in failed", `${name} ${at}`)).filter(Boolean);
  expect(told("first")).toHaveLength(10);
  expect(repeats.isDue("a log-in failed", "first 0")).toBe(false);
  clock.advance(MINUTE_MS);
  expect(told("second")).toHaveLength(10);
});

it("D-LOG 27: no flood of one kind, nor of many kinds, takes the place of a lost record", () => {
  const clock = new ManualClock();
  const repeats = new Repeats(clock, MINUTE_MS);
  for (let minute = 0; minute < 12; minute += 1) {
    for (let at = 0; at < 200; at += 1) {
      repeats.isDue("a log-in failed", `${minute} ${at}`);
      repeats.isDue(`kind ${minute} ${at}`);
    }
    expect(repeats.isDue("AUDIT RECORD LOST")).toBe(true);
    expect(repeats.isDue("AUDIT RECORD LOST")).toBe(false);
    clock.advance(MINUTE_MS);
  }
});
