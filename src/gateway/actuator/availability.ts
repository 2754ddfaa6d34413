import { type Clock, monotonicMs, systemClock } from "../../core/clock.ts";

/** Whoever checks readiness does so more often than this. */
const CHECKED_WITHIN_MS = 60_000;

/** Whether a gateway takes requests: from when it listens until it begins to shut down. Remembers whether anybody checks that. */
export class Availability {
  accepting = false;
  readonly #clock: Clock;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Answers a readiness check. */
  checked(): "UP" | "OUT_OF_SERVICE" {
    this.#checkedAt = monotonicMs(this.#clock);
    return this.accepting ? "UP" : "OUT_OF_SERVICE";
  }

  /** Whether somebody, such as a load balancer, has checked within the last minute: they need time to see that it is over. */
  get isWatched(): boolean {
    return monotonicMs(this.#clock) - this.#checkedAt < CHECKED_WITHIN_MS;
  }
}
