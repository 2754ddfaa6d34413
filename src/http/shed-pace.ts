import { AdminError } from "../core/errors.ts";
import type { MaybePromise } from "../core/maybe-promise.ts";

/** Refusals in a second that are answered at once. */
const AT_ONCE = 100;
const SECOND_MS = 1000;
/** What the others wait at least, and at most, spread so that they do not come back together; `Retry-After` asks for more. */
const LEAST_PACE_MS = 250;
const MOST_PACE_MS = 750;

/**
 * Slows callers down who come back at once although they were told to come later: answering refusals as fast as they can be
 * asked for would leave no time for anything else.
 */
export class ShedPace {
  #second = 0;
  #count = 0;

  /** Runs a read; what it throws because of overload may come later. */
  apply<T>(read: () => MaybePromise<T>): MaybePromise<T> {
    try {
      const output = read();
      return output instanceof Promise ? output.catch((error: unknown) => this.#refuse(error)) : output;
    } catch (error) {
      return this.#refuse(error);
    }
  }

  #refuse(error: unknown): Promise<never> {
    const isShed = error instanceof AdminError && error.code === "ENGINE_OVERLOADED";
    if (!isShed || this.#isFirst()) throw error;
    return new Promise((_resolve, reject) => setTimeout(reject, paceMs(), error));
  }

  #isFirst(): boolean {
    const second = Math.floor(performance.now() / SECOND_MS);
    if (second !== this.#second) {
      this.#second = second;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count <= AT_ONCE;
  }
}

function paceMs(): number {
  return LEAST_PACE_MS + Math.random() * (MOST_PACE_MS - LEAST_PACE_MS);
}
