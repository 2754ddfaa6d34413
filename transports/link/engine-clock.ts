import { type Clock, monotonicMs, systemClock } from "../../src/core/clock.ts";
import type { LinkEvent } from "./link.ts";

/** The error of an estimate is at most half of its round trip: slower replies are useless. */
const MAX_ROUND_TRIP_MS = 1_000;
/** How long an estimate takes precedence over worse ones. */
const WINDOW_MS = 60_000;
/** Offset above which clocks are considered to disagree. */
const TOLERANCE_MS = 1_000;

/** How far two clocks move apart while nothing is measured: far more than quartz does. */
const DRIFT = 0.0005;
/** Both clocks are told in whole milliseconds. */
const TICK_MS = 1;

interface Estimate {
  /** Lead of the engine's clock. */
  readonly offsetMs: number;
  /** The engine's time at zero of the monotonic clock. */
  readonly origin: number;
  readonly roundTripMs: number;
  /** By the monotonic clock. */
  readonly takenAt: number;
}

/**
 * Estimates the offset of an engine's clock from the times in its replies (docs/engine/bus.md, "Clocks"). Links to one engine may
 * share it.
 */
export class EngineClock {
  readonly #onEvent: (event: LinkEvent) => void;
  readonly #clock: Clock;
  #best: Estimate | undefined;
  /** The offset that was last reported. */
  #toldMs = 0;
  /** The latest arrival that was asked for: a better estimate must not change the order of arrivals. */
  #latest = { at: Number.NEGATIVE_INFINITY, arrived: Number.NEGATIVE_INFINITY };

  /** `onEvent` is called with a `problem` when the clocks begin to disagree by more than a second, and when that changes. */
  constructor(onEvent: (event: LinkEvent) => void, clock: Clock = systemClock) {
    this.#onEvent = onEvent;
    this.#clock = clock;
  }

  /** Milliseconds by which the engine's clock is ahead; undefined before the first reply with a time. */
  get offsetMs(): number | undefined {
    return this.#best?.offsetMs;
  }

  /** Whole milliseconds to add to times for the engine: 0 while the clocks agree within a second. */
  get correctionMs(): number {
    const offsetMs = this.offsetMs ?? 0;
    return Math.abs(offsetMs) > TOLERANCE_MS ? Math.round(offsetMs) : 0;
  }

  /** Whether a reply of the last minute has told the engine's time. */
  get isKnown(): boolean {
    return this.#best !== undefined && monotonicMs(this.#clock) - this.#best.takenAt < WINDOW_MS;
  }

  /** When something arrived by the engine's clock, and how far that may be off; `at` is monotonic. Undefined before the first estimate. */
  arrival(at: number): { readonly arrived: number; readonly arrivedWithin: number } | undefined {
    if (!this.#best) return undefined;
    const { origin, roundTripMs, takenAt } = this.#best;
    const latest = this.#latest;
    const arrived = at < latest.at ? Math.min(at + origin, latest.arrived) : Math.max(at + origin, latest.arrived);
    if (at >= latest.at) this.#latest = { at, arrived };
    return { arrived, arrivedWithin: roundTripMs / 2 + TICK_MS + (monotonicMs(this.#clock) - takenAt) * DRIFT };
  }

  /** Current monotonic time, for {@link replied}. */
  moment(): number {
    return monotonicMs(this.#clock);
  }

  /** Processes the engine's time in a reply that has just arrived; `sentAt` is the {@link moment} of its request. */
  replied(sentAt: number, engineTime: number): void {
    const takenAt = monotonicMs(this.#clock);
    const roundTripMs = takenAt - sentAt;
    if (roundTripMs > MAX_ROUND_TRIP_MS) return;
    // The engine took its time between sending and now: at the midpoint, as NTP assumes (RFC 5905, section 8).
    const offsetMs = engineTime - (this.#clock.now() - roundTripMs / 2);
    const origin = engineTime - (takenAt - roundTripMs / 2);
    const estimate = { offsetMs, origin, roundTripMs, takenAt };
    if (this.#knowsBetter(estimate)) return;
    this.#best = estimate;
    this.#tellOfChange(offsetMs);
  }

  /** Whether there is a better estimate that is not old, and that agrees: a clock that was set since then makes it worthless. */
  #knowsBetter({ origin, roundTripMs, takenAt }: Estimate): boolean {
    const best = this.#best;
    if (!best || best.roundTripMs >= roundTripMs || takenAt - best.takenAt >= WINDOW_MS) return false;
    return Math.abs(origin - best.origin) <= (roundTripMs + best.roundTripMs) / 2 + 2 * TICK_MS;
  }

  #tellOfChange(offsetMs: number): void {
    if (Math.abs(offsetMs - this.#toldMs) <= TOLERANCE_MS) return;
    this.#toldMs = offsetMs;
    this.#onEvent({ kind: "problem", message: inWords(offsetMs) });
  }
}

function inWords(offsetMs: number): string {
  const distance = Math.abs(offsetMs);
  if (distance <= TOLERANCE_MS) return "The engine's clock agrees with this gateway's again";
  const direction = offsetMs > 0 ? "ahead of" : "behind";
  return `The engine's clock is ${(distance / 1_000).toFixed(1)} s ${direction} this gateway's; one of them has to be set`;
}
