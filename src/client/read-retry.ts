import type { Clock } from "../core/clock.ts";
import { pause } from "../core/timeout.ts";
import type { AdminClientError } from "./errors.ts";
import type { Result } from "./result.ts";

/** How failed reads are repeated; mutations never are, whatever is set. */
export interface ReadRetries {
  /** Further tries after the first; 3 by default. */
  readonly retries?: number | undefined;
  /** No try begins later than this after the first, in milliseconds; 30,000 by default. */
  readonly withinMs?: number | undefined;
}

const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 5_000;

/**
 * Repeats a read while it fails with what may pass: 429, 503, or no connection. Waits as long as `Retry-After` asks, else
 * longer each time, and never to the same moment as others that failed with it.
 */
export async function repeatedly(
  { retries = 3, withinMs = 30_000 }: ReadRetries,
  clock: Clock,
  signal: AbortSignal | undefined,
  attempt: () => Promise<Result>,
): Promise<Result> {
  const end = clock.now() + withinMs;
  for (let count = 0; ; count += 1) {
    const result = await attempt();
    if (result.ok || !result.passing || count >= retries) return result;
    const delay = delayAfter(result.error, count);
    if (clock.now() + delay > end) return result;
    try {
      await pause(clock, delay, signal);
    } catch {
      // The caller stopped waiting; what is reported is the failure after which the read would have been repeated.
      return result;
    }
  }
}

/** Milliseconds to wait after a failure; `count` tries failed before it. */
function delayAfter({ retryAfter }: AdminClientError, count: number): number {
  const backoff = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** count);
  if (retryAfter !== undefined) return retryAfter * 1_000 + Math.random() * FIRST_DELAY_MS;
  return backoff * (0.5 + Math.random() / 2);
}
