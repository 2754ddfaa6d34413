import { setTimeout as pause } from "node:timers/promises";
import type { Truthy } from "../../src/testing/manual-clock.ts";

/** How {@link until} waits. */
export interface Waiting {
  readonly limitMs?: number;
  readonly everyMs?: number;
}

/**
 * Waits, by the clock of this machine, until `find` finds something, and gives it back. Where a rig holds the clock, its own `until`
 * waits. `what` is said when it does not come in time; the limit is there to fail, not to measure.
 */
export async function until<T>(
  find: () => T | Promise<T>,
  what: string | (() => string | Promise<string>),
  { limitMs = 60_000, everyMs = 2 }: Waiting = {},
): Promise<Truthy<T>> {
  for (const end = performance.now() + limitMs; performance.now() < end; await pause(everyMs)) {
    const found = await find();
    if (found) return found as Truthy<T>;
  }
  throw new Error(`in ${limitMs} ms it did not happen: ${typeof what === "string" ? what : await what()}`);
}
