import type { Clock } from "../../core/clock.ts";

/** Repeats a task from `start` until `stop`, with a pause of the clock in between. */
export class Heartbeat {
  readonly #clock: Clock;
  readonly #pauseMs: number;
  readonly #beat: () => void;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, pauseMs: number, beat: () => void) {
    this.#clock = clock;
    this.#pauseMs = pauseMs;
    this.#beat = beat;
  }

  /** Begins to repeat; does nothing while it repeats already. */
  start(): void {
    if (!this.#cancel) this.#pause();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #pause(): void {
    this.#cancel = this.#clock.schedule(this.#pauseMs, () => {
      this.#beat();
      if (this.#cancel) this.#pause();
    });
  }
}
