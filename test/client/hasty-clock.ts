import type { Clock } from "../../src/core/clock.ts";

/** Delays of so much are time limits: they pass when the pauses add up to them. */
const LIMIT_MS = 1_000_000;

/** A clock on which every pause is over immediately, and that keeps how long it was to be. */
export class HastyClock implements Clock {
  /** Milliseconds of the pauses, in order. */
  readonly pauses: number[] = [];
  #now = Date.UTC(2026, 10, 21, 9, 30);
  readonly #limits = new Map<() => void, number>();

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  schedule(delayMs: number, task: () => void): () => void {
    if (delayMs >= LIMIT_MS) return this.#limit(delayMs, task);
    this.pauses.push(delayMs);
    this.#now += delayMs;
    for (const [ends, at] of this.#limits) if (at <= this.#now) setImmediate(ends);
    const immediate = setImmediate(task);
    return () => clearImmediate(immediate);
  }

  #limit(delayMs: number, task: () => void): () => void {
    this.#limits.set(task, this.#now + delayMs);
    return () => this.#limits.delete(task);
  }
}

/** A time limit that no pauses of a test add up to. */
export const NO_LIMIT = { timeoutMs: LIMIT_MS };

/** A confirmation that gives up after five reads, however long those take. */
export const FIVE_READS = { clock: new HastyClock(), intervalMs: LIMIT_MS / 5, timeoutMs: LIMIT_MS };
