/** Source of time; tests pass one that they control (`ManualClock` of the testing entry). */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds, with fractions, since some moment, never set back; `performance.now` unless given. */
  monotonic?(): number;
  /** Runs `task` once after `delayMs`; the returned function cancels it. */
  schedule(delayMs: number, task: () => void): () => void;
}

/** The machine's own clock. */
export const systemClock: Required<Clock> = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
};

/** The time by which durations are measured: that of the clock, or the machine's. */
export function monotonicMs(clock: Clock): number {
  return clock.monotonic?.() ?? performance.now();
}
