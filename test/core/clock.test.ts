import { beforeEach, describe, expect, it } from "vitest";
import { microsecondTimestamps, monotonicMs, steadyClock, systemClock } from "../../src/core/clock.ts";

describe("D-LOG 5: time stamps are UTC with microseconds", () => {
  let wall: number;
  let monotonic: number;
  let next: () => string;

  beforeEach(() => {
    wall = Date.UTC(2026, 0, 5, 9, 31);
    monotonic = 10;
    next = microsecondTimestamps(
      () => wall,
      () => monotonic,
    );
  });

  it("from the monotonic clock between ticks of the wall clock", () => {
    expect(next()).toBe("2026-01-05T09:31:00.000000Z");
    monotonic += 0.25;
    expect(next()).toBe("2026-01-05T09:31:00.000250Z");
    monotonic += 1.0625;
    wall += 1;
    expect(next()).toBe("2026-01-05T09:31:00.001312Z");
  });

  it("and the wall clock wins once the two are more than 2 ms apart, in either direction", () => {
    monotonic += 2;
    expect(next()).toBe("2026-01-05T09:31:00.002000Z");
    monotonic += 0.5;
    expect(next()).toBe("2026-01-05T09:31:00.000000Z");
    monotonic += 0.125;
    expect(next()).toBe("2026-01-05T09:31:00.000125Z");
    wall += 60_000;
    expect(next()).toBe("2026-01-05T09:32:00.000000Z");
    wall -= 60_000;
    expect(next()).toBe("2026-01-05T09:31:00.000000Z");
  });
});

describe("the machine's clock", () => {
  it("counts epoch milliseconds, and durations apart from them", () => {
    expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1_000);
    const [before, between, after] = [performance.now(), monotonicMs(systemClock), performance.now()];
    expect([before <= between, between <= after]).toEqual([true, true]);
  });

  it("runs what is scheduled once, and nothing that was cancelled", async () => {
    const ran: string[] = [];
    const cancel = systemClock.schedule(0, () => ran.push("cancelled"));
    systemClock.schedule(0, () => ran.push("scheduled"));
    cancel();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(ran).toEqual(["scheduled"]);
  });

  it("measures durations by the clock that is given, if that has such a time", () => {
    expect(monotonicMs({ ...systemClock, monotonic: () => 42 })).toBe(42);
    const { now, schedule } = systemClock;
    expect(Math.abs(monotonicMs({ now, schedule }) - performance.now())).toBeLessThan(1_000);
  });
});

describe("D-ENG 21: times that are compared with those of former messages", () => {
  it.each([-30_000, 60_000])("do not change when the wall clock is set by %i ms", (setMs) => {
    const wall = { now: Date.UTC(2026, 0, 5, 9, 31), monotonic: 10.5 };
    const steady = steadyClock({ now: () => wall.now, monotonic: () => wall.monotonic, schedule: () => () => {} });
    const began = steady.now();
    wall.now += setMs + 250;
    wall.monotonic += 250;
    expect(steady.now()).toBe(began + 250);
  });

  it("are those of the wall clock where there is no other", () => {
    const clock = { now: () => 1, schedule: () => () => {} };
    expect(steadyClock(clock)).toBe(clock);
  });
});
