import type { Clock } from "../../core/clock.ts";

const DELAY_MS = 1_000;
const DELAY_FOR_EACH_HELD_MS = 5;
const MAX_DELAY_MS = 10_000;
const MAX_HELD = 10_000;

/**
 * Holds those who find no place before they are refused. Refused immediately, a flood would go at full speed, take each place that becomes
 * free, and be a load. The more are held, the longer: some hundred responses a second, whatever the number of connections.
 */
export class SlowRefusals {
  readonly #clock: Clock;
  #held = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The refusal, later; immediately where too many are held. */
  hold<T>(refusal: T): T | Promise<T> {
    if (this.#held >= MAX_HELD) return refusal;
    const delayMs = Math.min(MAX_DELAY_MS, DELAY_MS + this.#held * DELAY_FOR_EACH_HELD_MS);
    this.#held += 1;
    return new Promise((resolve) => {
      this.#clock.schedule(delayMs, () => {
        this.#held -= 1;
        resolve(refusal);
      });
    });
  }
}
