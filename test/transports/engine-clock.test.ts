import { beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { EngineClock } from "../../transports/link/engine-clock.ts";
import { Events } from "./support/link.ts";

const MINUTE = 60_000;

let clock: ManualClock;
let events: Events;
let engineClock: EngineClock;

beforeEach(() => {
  clock = new ManualClock();
  events = new Events();
  engineClock = new EngineClock(events.onEvent, clock);
});

/** A reply of an engine whose clock is `aheadMs` ahead, written so long after sending and read so long after writing. */
function answer(aheadMs: number, thereMs: number, backMs: number): void {
  const sentAt = engineClock.moment();
  clock.advance(thereMs);
  const engineTime = clock.now() + aheadMs;
  clock.advance(backMs);
  engineClock.replied(sentAt, engineTime);
}

describe("D-LINK 9: the engine's clock, estimated from its replies", () => {
  test("is unknown, and nothing is corrected, before the first reply", () => {
    expect(engineClock.offsetMs).toBeUndefined();
    expect(engineClock.correctionMs).toBe(0);
  });

  test.each([
    [0, 0, 0],
    [10_000, 5, 5],
    [-10_000, 40, 40],
    [3_600_000, 0, 300],
    [-3_600_000, 999, 1],
  ])("is wrong by half of the round trip at most: ahead by %i ms, %i ms there and %i ms back", (ahead, there, back) => {
    answer(ahead, there, back);
    expect(Math.abs((engineClock.offsetMs ?? Number.NaN) - ahead)).toBeLessThanOrEqual((there + back) / 2);
  });

  test("comes from the quickest reply of a minute, then from a new one", () => {
    answer(10_000, 10, 10);
    answer(10_000, 0, 400);
    expect(engineClock.offsetMs).toBe(10_000);
    answer(10_000, 2, 0);
    expect(engineClock.offsetMs).toBe(10_001);
    clock.advance(MINUTE);
    answer(10_000, 0, 400);
    expect(engineClock.offsetMs).toBe(9_800);
  });

  test("does not come from a reply that took more than a second", () => {
    answer(10_000, 1_001, 0);
    expect(engineClock.offsetMs).toBeUndefined();
  });

  test("is reported once when it differs by more than a second, and so is the end of that", () => {
    for (let count = 0; count < 100; count += 1) answer(10_000, 1, 1);
    expect(events.all).toEqual([{ kind: "problem", message: expect.stringContaining("10.0 s ahead of") }]);
    expect(engineClock.correctionMs).toBe(10_000);
    clock.advance(MINUTE);
    for (let count = 0; count < 100; count += 1) answer(3, 1, 1);
    expect(events.of("problem")).toEqual([expect.anything(), expect.stringContaining("agrees")]);
    expect(engineClock.correctionMs).toBe(0);
  });

  test("a clock that is set with each reply is reported every ten seconds, and as it is then", () => {
    for (let count = 0; count < 1_000; count += 1) answer(count % 2 === 0 ? 10_000 : -10_000, 10, 10);
    expect(events.of("problem")).toHaveLength(2);
    answer(-10_000, 10, 10);
    clock.advance(MINUTE);
    answer(-10_000, 10, 10);
    expect(events.of("problem").at(-1)).toContain("10.0 s behind");
  });

  test.each([-30_000, 200_000])(
    "is known immediately when this machine's clock is set by %i ms, without another reply",
    (setMs) => {
      const wall = { aheadMs: 0 };
      const own = {
        now: () => clock.now() + wall.aheadMs,
        monotonic: () => clock.monotonic(),
        schedule: () => () => {},
      };
      const estimated = new EngineClock(events.onEvent, own);
      estimated.replied(estimated.moment(), clock.now());
      wall.aheadMs = setMs;
      expect(estimated.correctionMs).toBe(-setMs);
    },
  );

  test("is neither reported nor corrected for the usual difference", () => {
    answer(-900, 1, 1);
    expect(engineClock.offsetMs).toBe(-900);
    expect(engineClock.correctionMs).toBe(0);
    expect(events.all).toEqual([]);
  });
});

describe("D-ENG 21: arrivals by the engine's clock", () => {
  test("are unknown before the first reply, and then told with half of the round trip, and the ticks of both clocks, as uncertainty", () => {
    expect(engineClock.arrival(engineClock.moment())).toBeUndefined();
    expect(engineClock.isKnown).toBe(false);
    answer(800, 4, 4);
    const at = engineClock.moment();
    const now = clock.now();
    clock.advance(1_000);
    expect(engineClock.arrival(at)).toEqual({ arrived: now + 800, arrivedWithin: expect.closeTo(5.5, 1) });
    expect(engineClock.isKnown).toBe(true);
    clock.advance(MINUTE);
    expect(engineClock.isKnown).toBe(false);
  });

  test("keep their order when a better estimate comes in between", () => {
    answer(0, 0, 400);
    const halt = engineClock.moment();
    const halted = engineClock.arrival(halt)?.arrived ?? Number.NaN;
    answer(0, 5, 0);
    clock.advance(1);
    const resumed = engineClock.arrival(engineClock.moment())?.arrived ?? Number.NaN;
    expect(resumed).toBeGreaterThanOrEqual(halted);
    expect(engineClock.arrival(halt - 1)?.arrived).toBeLessThanOrEqual(resumed);
  });

  test("are as uncertain as their order has moved them", () => {
    answer(0, 400, 0);
    engineClock.arrival(engineClock.moment());
    answer(0, 5, 0);
    const truth = clock.now();
    const { arrived = 0, arrivedWithin = 0 } = engineClock.arrival(engineClock.moment()) ?? {};
    expect(Math.abs(arrived - truth)).toBeGreaterThan(100);
    expect(Math.abs(arrived - truth)).toBeLessThanOrEqual(arrivedWithin);
  });

  test("follow a clock that was set back, also behind former arrivals", () => {
    answer(0, 1, 1);
    engineClock.arrival(engineClock.moment());
    answer(-30_000, 1, 1);
    const now = clock.now() - 30_000;
    expect(engineClock.arrival(engineClock.moment())).toEqual({
      arrived: expect.closeTo(now, -1),
      arrivedWithin: expect.closeTo(2, 0),
    });
  });

  test("follow a clock that was set, without waiting for a quicker reply", () => {
    answer(0, 1, 1);
    answer(5_000, 10, 10);
    expect(engineClock.offsetMs).toBe(5_000);
  });
});

describe("D-ENG 27: the clock of an engine that has started again", () => {
  /** A reply that names the clock, a millisecond after its request. */
  function named(id: string | undefined, aheadMs: number, sentAt = engineClock.moment()): void {
    clock.advance(1);
    engineClock.replied(sentAt, clock.now() + aheadMs, id);
  }

  test("replaces what was known, however good that was, and the order of arrivals by it", () => {
    named("first", 60_000);
    engineClock.arrival(engineClock.moment());
    named("second", 0);
    expect(engineClock.id).toBe("second");
    expect(engineClock.correctionMs).toBe(0);
    const now = clock.now();
    expect(engineClock.arrival(engineClock.moment())?.arrived).toBeCloseTo(now, -1);
  });

  test("makes what was known worthless, also when its first reply is too slow to learn from", () => {
    named("first", 60_000);
    answer(0, 1, 1);
    const sentAt = engineClock.moment();
    clock.advance(1_500);
    engineClock.replied(sentAt, clock.now(), "second");
    expect(engineClock.isKnown).toBe(false);
    expect(engineClock.id).toBeUndefined();
    expect(engineClock.arrival(engineClock.moment())).toBeUndefined();
  });

  test("stays when a reply of the engine before it comes late", () => {
    const before = engineClock.moment();
    clock.advance(5);
    named("second", 0);
    named("first", 60_000, before);
    expect(engineClock.id).toBe("second");
    expect(engineClock.correctionMs).toBe(0);
  });

  test("is asked for when there is doubt; what is known counts until then, under its name", () => {
    named("first", 60_000);
    const before = engineClock.moment();
    clock.advance(1);
    engineClock.doubt();
    expect(engineClock.isKnown).toBe(false);
    expect(engineClock.id).toBe("first");
    expect(engineClock.arrival(engineClock.moment())).toBeDefined();
    named("first", 60_000, before);
    expect(engineClock.isKnown).toBe(false);
    named("first", 60_000);
    expect(engineClock.isKnown).toBe(true);
  });

  test("is not doubted where it has no name, as no reply could tell", () => {
    named(undefined, 60_000);
    engineClock.doubt();
    expect(engineClock.isKnown).toBe(true);
  });
});
