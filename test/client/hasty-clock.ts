import type { Clock } from "../../src/core/clock.ts";

/** Longer delays are time limits: they never pass. */
const LIMIT_MS = 1_000_000;

/** A clock on which every pause is over immediately, and that keeps how long it was to be. */
export class HastyClock implements Clock {
  /** Milliseconds of the pauses, in order. */
  readonly pauses: number[] = [];
  #now = Date.UTC(2026, 10, 21, 9, 30);

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  schedule(delayMs: number, task: () => void): () => void {
    if (delayMs >= LIMIT_MS) return () => {};
    this.pauses.push(delayMs);
    this.#now += delayMs;
    const immediate = setImmediate(task);
    return () => clearImmediate(immediate);
  }
}

/** A time limit that does not pass on such a clock. */
export const NO_LIMIT = { timeoutMs: LIMIT_MS };
