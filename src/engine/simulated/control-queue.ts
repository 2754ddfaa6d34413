import type { Clock } from "../../core/clock.ts";

/** Commands that are acknowledged at once and applied a little later, in the order in which they came. */
export class ControlQueue {
  readonly #clock: Clock;
  readonly #delayMs: number;
  readonly #waiting: (() => void)[] = [];

  constructor(clock: Clock, delayMs: number) {
    this.#clock = clock;
    this.#delayMs = delayMs;
  }

  /** Applies `command` after the delay. */
  push(command: () => void): void {
    this.#waiting.push(command);
    // Whichever timer fires first takes the oldest command: timers that fire out of order cannot swap two commands.
    this.#clock.schedule(this.#delayMs, () => this.#waiting.shift()?.());
  }
}
