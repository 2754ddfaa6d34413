/** Source of time; tests inject their own (`ManualClock` of the testing entry). */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Monotonic milliseconds with fractions; `performance.now` unless given. */
  monotonic?(): number;
  /** Runs `task` once after `delayMs`; the returned function cancels it. */
  schedule(delayMs: number, task: () => void): () => void;
  /**
   * Runs `task` again and again in the background, which keeps no program alive; the returned function ends that. With it the API
   * notices when its process was paused; a frozen clock, which moves in leaps, has none.
   */
  every?(ms: number, task: () => void): () => void;
}

/** The machine's own clock. */
export const systemClock: Required<Clock> = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
  every(ms, task) {
    const timer = setInterval(task, ms).unref();
    return () => clearInterval(timer);
  },
};

/** Monotonic milliseconds, for durations. */
export function monotonicMs(clock: Clock): number {
  return clock.monotonic?.() ?? performance.now();
}

/**
 * The same clock, except that nobody can set it: from now on its time advances as evenly as the monotonic one. What is compared with times
 * of former messages has to have such a clock.
 */
export function steadyClock(clock: Clock): Clock {
  if (!clock.monotonic) return clock;
  const monotonic = (): number => monotonicMs(clock);
  const origin = clock.now() - monotonic();
  const schedule: Clock["schedule"] = (delayMs, task) => clock.schedule(delayMs, task);
  return { now: () => Math.floor(origin + monotonic()), monotonic, schedule };
}

const MAX_DRIFT_MS = 2;

/**
 * Makes a source of UTC time stamps with microseconds, such as `2026-01-05T09:31:00.123456Z`. The wall clock counts only milliseconds,
 * so the monotonic clock adds the digits below; when the two drift apart, for example after a clock step, the wall clock wins.
 */
export function microsecondTimestamps(wall: () => number, monotonic: () => number): () => string {
  let anchor = { wall: wall(), monotonic: monotonic() };
  return () => {
    const now = wall();
    let elapsed = anchor.wall + (monotonic() - anchor.monotonic);
    if (Math.abs(elapsed - now) > MAX_DRIFT_MS) {
      anchor = { wall: now, monotonic: monotonic() };
      elapsed = now;
    }
    const whole = Math.floor(elapsed);
    const microseconds = Math.floor((elapsed - whole) * 1000);
    return new Date(whole).toISOString().replace("Z", `${String(microseconds).padStart(3, "0")}Z`);
  };
}
