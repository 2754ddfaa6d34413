import { type Clock, monotonicMs, systemClock } from "../../src/core/clock.ts";
import type { LinkEvent } from "./link.ts";

/** An estimate is off by half of its round trip at most: slower replies say too little. */
const MAX_ROUND_TRIP_MS = 1_000;
/** How long a better estimate stands before any other. */
const WINDOW_MS = 60_000;
/** From this difference on clocks are said to disagree. */
const TOLERANCE_MS = 1_000;

interface Estimate {
  /** By how much the engine's clock is ahead. */
  readonly offsetMs: number;
  readonly roundTripMs: number;
  /** By the monotonic clock. */
  readonly takenAt: number;
}

/**
 * How far the clock of an engine is from that of the gateway, by the times in its replies (docs/engine/bus.md, "Clocks"). Links to
 * one engine may share it.
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

  /** Milliseconds by which the engine's clock is ahead; undefined as long as no reply had its time. */
  get offsetMs(): number | undefined {
    return this.#best?.offsetMs;
  }

  /** Whole milliseconds to be added to times for the engine: 0 while the clocks agree as well as clocks do. */
  get correctionMs(): number {
    const offsetMs = this.offsetMs ?? 0;
    return Math.abs(offsetMs) > TOLERANCE_MS ? Math.round(offsetMs) : 0;
  }

  /** A moment, for {@link replied}. */
  moment(): number {
    return monotonicMs(this.#clock);
  }

  /** Takes the engine's time in the reply that has just come to a request that was sent at a {@link moment}. */
  replied(sentAt: number, engineTime: number): void {
    const takenAt = monotonicMs(this.#clock);
    const roundTripMs = takenAt - sentAt;
    if (roundTripMs > MAX_ROUND_TRIP_MS || this.#knowsBetter(roundTripMs, takenAt)) return;
    // The engine wrote its time between sending and now: in the middle, as NTP supposes (RFC 5905, section 8).
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
