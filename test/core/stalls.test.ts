import { afterEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { Stalls } from "../../src/core/load/stalls.ts";

describe("D-ENG 22: what is read after a standstill arrived when that began", () => {
  let now = 1_000;
  const stalls = new Stalls(() => now);

  /** Lets time pass in which the event loop turns. */
  function turn(ms: number): void {
    for (let passed = 0; passed < ms; passed += 50) {
      now += 50;
      vi.advanceTimersByTime(50);
    }
  }

  afterEach(() => {
    stalls.stop();
    vi.useRealTimers();
  });

  function started(): void {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    stalls.start(systemClock);
    turn(500);
  }

  it("while the event loop turns, what is read has arrived now", () => {
    started();
    now += 40;
    expect(stalls.arrival()).toBe(now);
    now += 150;
    expect(stalls.arrival()).toBe(now);
  });

  it("a process that was paused for 20 s: what it reads first arrived 20 s ago, before its timers have run and after", () => {
    started();
    const began = now;
    now += 20_000;
    expect(stalls.arrival()).toBe(began);
    vi.advanceTimersByTime(50);
    expect(stalls.arrival()).toBe(began);
    turn(50);
    expect(stalls.arrival()).toBe(now);
  });

  it("a second standstill counts by itself", () => {
    started();
    now += 20_000;
    turn(100);
    const began = now;
    now += 300;
    expect(stalls.arrival()).toBe(began);
  });

  it("what is not watched is never paused", () => {
    now += 20_000;
    expect(stalls.arrival()).toBe(now);
  });
});
