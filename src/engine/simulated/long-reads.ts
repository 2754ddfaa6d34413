import type { Steps } from "./steps.ts";

/** Longest work in one turn of the event loop, for all long reads together. */
const SLICE_MS = 1;

interface LongRead {
  /** Does the next step; says whether it was the last. */
  step(): boolean;
  fail(reason: unknown): void;
}

/**
 * Reads with too many rows for one piece of work. They are done one after the other, a slice in each turn of the event
 * loop, so that any number of them delays other requests by no more than one slice.
 */
export class LongReads {
  readonly #waiting: LongRead[] = [];

  /** Begins as soon as the reads that came before are done; rejects with what a step throws. */
  run<T>(steps: Steps<T>): Promise<T> {
    return new Promise((resolve, fail) => {
      const step = (): boolean => {
        const { done, value } = steps.next();
        if (done) resolve(value);
        return done === true;
      };
      this.#waiting.push({ step, fail });
      if (this.#waiting.length === 1) this.#awaitTurn();
    });
  }

  #awaitTurn(): void {
    setImmediate(() => this.#slice());
  }

  #slice(): void {
    const end = performance.now() + SLICE_MS;
    for (let first = this.#waiting[0]; first && performance.now() < end; first = this.#waiting[0]) {
      if (isOver(first)) this.#waiting.shift();
    }
    if (this.#waiting.length > 0) this.#awaitTurn();
  }
}

function isOver(read: LongRead): boolean {
  try {
    return read.step();
  } catch (error) {
    read.fail(error);
    return true;
  }
}
