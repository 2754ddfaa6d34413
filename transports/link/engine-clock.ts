import { type Clock, monotonicMs, systemClock } from "../../src/core/clock.ts";
import { harmless } from "../../src/core/host-calls.ts";
import { functionLike, requireArgument } from "../../src/core/options.ts";
import type { LinkEvent } from "./link.ts";

/** The error of an estimate is at most half of its round trip: slower replies are useless. */
const MAX_ROUND_TRIP_MS = 1_000;
/** How long an estimate takes precedence over worse ones. */
const WINDOW_MS = 60_000;
/** Offset above which clocks are considered to disagree. */
const TOLERANCE_MS = 1_000;

/** A clock that is set again and again is reported this often. */
const REPORT_PAUSE_MS = 10_000;

/** How far two clocks move apart while nothing is measured: far more than quartz does. */
const DRIFT = 0.0005;
/** Both clocks are in whole milliseconds. */
const TICK_MS = 1;

const NO_ARRIVAL = { at: Number.NEGATIVE_INFINITY, arrived: Number.NEGATIVE_INFINITY };

interface Estimate {
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
  /** The engine's name for its clock, and when the first request was sent of which a reply named it. */
  #id: string | undefined;
  #idSince = Number.NEGATIVE_INFINITY;
  /** When the latest request was sent that has its reply, and since when the engine may be another one. */
  #heardFor = Number.NEGATIVE_INFINITY;
  #doubtedAt = Number.NEGATIVE_INFINITY;
  /** The offset that was last reported, and when. */
  #reportedMs = 0;
  #reportedAt = Number.NEGATIVE_INFINITY;
  /** The latest arrival that was asked for: a better estimate must not change the order of arrivals. */
  #latest = NO_ARRIVAL;

  /** `onEvent` is called with a `problem` when the clocks begin to disagree by more than a second, and when that changes. */
  constructor(onEvent: (event: LinkEvent) => void, clock: Clock = systemClock) {
    requireArgument("EngineClock", "onEvent", onEvent, functionLike("(event) => log(event.message)"));
    this.#onEvent = harmless("`onEvent` of the host", onEvent);
    this.#clock = clock;
  }

  /**
   * Milliseconds by which the engine's clock is ahead now; undefined before the first reply with a time. This wall clock may have been set
   * since then.
   */
  get offsetMs(): number | undefined {
    return this.#best && this.#best.origin + monotonicMs(this.#clock) - this.#clock.now();
  }

  /** Whole milliseconds to add to times for the engine: 0 while the clocks agree within a second. */
  get correctionMs(): number {
    const offsetMs = this.offsetMs ?? 0;
    return Math.abs(offsetMs) > TOLERANCE_MS ? Math.round(offsetMs) : 0;
  }

  /** The engine's name for its clock; undefined before a reply has named it. */
  get id(): string | undefined {
    return this.#best && this.#id;
  }

  /** Whether a reply of the last minute has told the engine's time, and one has come since it was {@link doubt}ed. */
  get isKnown(): boolean {
    if (!this.#best || this.#heardFor < this.#doubtedAt) return false;
    return monotonicMs(this.#clock) - this.#best.takenAt < WINDOW_MS;
  }

  /**
   * The engine may have started again, with a clock that was set: its next reply tells. What is known counts until then, under its name, by which
   * the engine notices that it is of another clock. Where the clock has no name, no reply could tell.
   */
  doubt(): void {
    if (this.#id !== undefined) this.#doubtedAt = monotonicMs(this.#clock);
  }

  /** When something arrived by the engine's clock, and how far that may be off; `at` is monotonic. Undefined before the first estimate. */
  arrival(at: number): { readonly arrived: number; readonly arrivedWithin: number } | undefined {
    if (!this.#best) return undefined;
    const { origin, roundTripMs, takenAt } = this.#best;
    const latest = this.#latest;
    const found = at + origin;
    const arrived = at < latest.at ? Math.min(found, latest.arrived) : Math.max(found, latest.arrived);
    if (at >= latest.at) this.#latest = { at, arrived };
    const uncertain = roundTripMs / 2 + TICK_MS + (monotonicMs(this.#clock) - takenAt) * DRIFT;
    return { arrived, arrivedWithin: uncertain + Math.abs(arrived - found) };
  }

  /** Current monotonic time, for {@link replied}. */
  moment(): number {
    return monotonicMs(this.#clock);
  }

  /**
   * Processes the engine's time in a reply that has just arrived, and the name of its clock, if it has one; `sentAt` is the {@link moment} of
   * its request.
   */
  replied(sentAt: number, engineTime: number, id?: string): void {
    if (!this.#isOfThisEngine(sentAt, id)) return;
    this.#heardFor = Math.max(this.#heardFor, sentAt);
    const takenAt = monotonicMs(this.#clock);
    const roundTripMs = takenAt - sentAt;
    if (roundTripMs > MAX_ROUND_TRIP_MS) return;
    // The engine took its time between sending and now: at the midpoint, as NTP assumes (RFC 5905, section 8).
    const origin = engineTime - (takenAt - roundTripMs / 2);
    const estimate = { origin, roundTripMs, takenAt };
    if (!this.#agrees(estimate)) this.#latest = NO_ARRIVAL;
    if (!this.#knowsBetter(estimate)) this.#best = estimate;
    this.#reportChange(this.offsetMs ?? 0);
  }

  /** Whether a reply is of the engine that runs now: one of a former engine may come late. A new engine's clock may show another time. */
  #isOfThisEngine(sentAt: number, id: string | undefined): boolean {
    if (id === this.#id) return true;
    if (sentAt < this.#idSince) return false;
    this.#forget();
    [this.#id, this.#idSince] = [id, sentAt];
    return true;
  }

  #forget(): void {
    this.#best = undefined;
    this.#latest = NO_ARRIVAL;
  }

  /** Whether there is a better estimate that is not old, and that agrees. */
  #knowsBetter(estimate: Estimate): boolean {
    const best = this.#best;
    if (!best || best.roundTripMs >= estimate.roundTripMs) return false;
    return estimate.takenAt - best.takenAt < WINDOW_MS && this.#agrees(estimate);
  }

  /** Whether the engine's clock still shows what the best estimate says: one that was set since then makes it worthless. */
  #agrees({ origin, roundTripMs, takenAt }: Estimate): boolean {
    const best = this.#best;
    if (!best) return true;
    const most = (roundTripMs + best.roundTripMs) / 2 + 2 * TICK_MS + (takenAt - best.takenAt) * DRIFT;
    return Math.abs(origin - best.origin) <= most;
  }

  #reportChange(offsetMs: number): void {
    const now = monotonicMs(this.#clock);
    if (Math.abs(offsetMs - this.#reportedMs) <= TOLERANCE_MS || now - this.#reportedAt < REPORT_PAUSE_MS) return;
    [this.#reportedMs, this.#reportedAt] = [offsetMs, now];
    this.#onEvent({ kind: "problem", message: inWords(offsetMs) });
  }
}

function inWords(offsetMs: number): string {
  const distance = Math.abs(offsetMs);
  if (distance <= TOLERANCE_MS) return "The engine's clock agrees with this gateway's again";
  const direction = offsetMs > 0 ? "ahead of" : "behind";
  return `The engine's clock is ${(distance / 1_000).toFixed(1)} s ${direction} this gateway's; one of them has to be set`;
}
