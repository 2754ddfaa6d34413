import { type Clock, monotonicMs, systemClock } from "../../src/core/clock.ts";
import type { LinkEvent } from "./link.ts";

/** The error of an estimate is at most half of its round trip: slower replies are useless. */
const MAX_ROUND_TRIP_MS = 1_000;
/** How long an estimate takes precedence over worse ones. */
const WINDOW_MS = 60_000;
/** Offset above which clocks are considered to disagree. */
const TOLERANCE_MS = 1_000;

interface Estimate {
  /** Lead of the engine's clock. */
  readonly offsetMs: number;
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

  /** Current monotonic time, for {@link replied}. */
  moment(): number {
    return monotonicMs(this.#clock);
  }

  /** Processes the engine's time in a reply that has just arrived; `sentAt` is the {@link moment} of its request. */
  replied(sentAt: number, engineTime: number): void {
    const takenAt = monotonicMs(this.#clock);
    const roundTripMs = takenAt - sentAt;
    if (roundTripMs > MAX_ROUND_TRIP_MS || this.#knowsBetter(roundTripMs, takenAt)) return;
    // The engine took its time between sending and now: at the midpoint, as NTP assumes (RFC 5905, section 8).
    const offsetMs = engineTime - (this.#clock.now() - roundTripMs / 2);
    this.#best = { offsetMs, roundTripMs, takenAt };
    this.#tellOfChange(offsetMs);
  }

  #knowsBetter(roundTripMs: number, now: number): boolean {
    const best = this.#best;
    return best !== undefined && best.roundTripMs < roundTripMs && now - best.takenAt < WINDOW_MS;
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
