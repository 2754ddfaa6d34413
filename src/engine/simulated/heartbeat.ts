import type { Clock } from "../../core/clock.ts";

/** Repeats a task at an interval of the clock, from `start` until `stop`. */
export class Heartbeat {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #beat: () => void;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, intervalMs: number, beat: () => void) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#beat = beat;
  }

  /** Begins to repeat; does nothing while it repeats already. */
  start(): void {
    if (!this.#cancel) this.#next();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #next(): void {
    this.#cancel = this.#clock.schedule(this.#intervalMs, () => {
      this.#next();
      this.#beat();
    });
  }
}
