import type { Clock } from "../../core/clock.ts";
import type { Steps } from "../../core/load/steps.ts";

/** Repeats a task from `start` until `stop`, with a pause of the clock in between; each of its steps has the thread for itself. */
export class Heartbeat {
  readonly #clock: Clock;
  readonly #pauseMs: number;
  readonly #beat: () => Steps;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, pauseMs: number, beat: () => Steps) {
    this.#clock = clock;
    this.#pauseMs = pauseMs;
    this.#beat = beat;
  }

  /** Begins to repeat; does nothing while it repeats already. */
  start(): void {
    if (!this.#cancel) this.#pause();
  }

  /** Also ends a beat between two of its steps. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #pause(): void {
    this.#cancel = this.#clock.schedule(this.#pauseMs, () => this.#step(this.#beat()));
  }

  #step(beat: Steps): void {
    const { done } = beat.next();
    if (!this.#cancel) return;
    if (done) this.#pause();
    else this.#cancel = this.#clock.schedule(0, () => this.#step(beat));
  }
}
