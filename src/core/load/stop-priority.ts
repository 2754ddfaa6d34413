import { type Clock, monotonicMs } from "../clock.ts";
import { objectWith, requireArgument } from "../options.ts";
import { Quota } from "./quota.ts";

/** Priority of a job: stops run first. A stop beyond its caller's limit waits for its turn as other work does, but is never refused. */
export type Priority = "stop" | "stop-over-limit" | "other";

/** Stops refused, but not by the engine, per caller and second; beyond that its stops lose their priority. */
const MAX_REFUSED = 10;
const SECOND_MS = 1_000;

/**
 * Stops of one caller in progress; later ones have no priority. Audit records become durable in groups, so that each stop waits for all
 * others of its group, and checks of credentials take longer than anything else.
 */
const MAX_IN_PROGRESS = 8;

/** Which stops are prioritised: a few of each caller at a time, and none of a caller whose stops are refused one after the other. */
export class StopPriority {
  readonly #clock: Clock;
  readonly #inProgress = quotaByCaller(MAX_IN_PROGRESS);
  /** Refused stops of this second. */
  #refused = quotaByCaller(MAX_REFUSED);
  #refusedSince = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    requireArgument("StopPriority", "clock", clock, objectWith("now", "systemClock"));
    this.#clock = clock;
  }

  priority(caller: string): Priority {
    const isRefused = !this.#refused.hasRoom(caller) && monotonicMs(this.#clock) - this.#refusedSince <= SECOND_MS;
    if (isRefused) return "other";
    return this.#inProgress.hasRoom(caller) ? "stop" : "stop-over-limit";
  }

  /** Counts a stop of a caller until the returned function is called. */
  count(caller: string): () => void {
    this.#inProgress.take(caller);
    return () => this.#inProgress.release(caller);
  }

  /** Announces a refused stop: a caller with too many of them loses its priority for a while. */
  refused(caller: string): void {
    const now = monotonicMs(this.#clock);
    if (now - this.#refusedSince > SECOND_MS) {
      this.#refused = quotaByCaller(MAX_REFUSED);
      this.#refusedSince = now;
    }
    this.#refused.take(caller);
  }
}

/** A quota without a limit in total. */
function quotaByCaller(max: number): Quota {
  return new Quota(Number.POSITIVE_INFINITY, max);
}
