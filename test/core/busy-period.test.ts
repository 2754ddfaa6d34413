import { describe, expect, it } from "vitest";
import { BusyPeriod } from "../../src/core/busy-period.ts";

describe("issue 5.2: answers that wait where they cannot be seen are congestion all the same", () => {
  it("work upon work without a pause is one busy period", () => {
    const busy = new BusyPeriod();
    expect(busy.begin(1_000)).toBe(0);
    busy.end(1_300);
    expect(busy.begin(1_310)).toBe(310);
    busy.end(1_600);
    expect(busy.begin(1_620)).toBe(620);
  });

  it("a pause ends it", () => {
    const busy = new BusyPeriod();
    busy.begin(1_000);
    busy.end(1_300);
    expect(busy.begin(1_321)).toBe(0);
  });
});
