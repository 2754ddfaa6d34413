import { expect, it } from "vitest";
import { Repeats } from "../../src/core/logger.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

it("D-LOG 27: of different events a hundred are told in a pause, and however many there were, new ones after it", () => {
  const clock = new ManualClock();
  const repeats = new Repeats(clock, 60_000);
  const told = (names: string) =>
    Array.from({ length: 150 }, (_, at) => repeats.isDue(`${names} ${at}`)).filter(Boolean);
  expect(told("first")).toHaveLength(100);
  expect(repeats.isDue("first 0")).toBe(false);
  expect(repeats.isDue("AUDIT RECORD LOST")).toBe(false);
  clock.advance(60_000);
  expect(repeats.isDue("AUDIT RECORD LOST")).toBe(true);
  expect(repeats.isDue("AUDIT RECORD LOST")).toBe(false);
  expect(told("second")).toHaveLength(99);
});
