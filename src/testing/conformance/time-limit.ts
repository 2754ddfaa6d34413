import { AssertionError } from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";

const POLL_MS = 5;

/** How long a kit waits for what has to happen. Nothing is ever judged by how long it took. */
export class WaitLimit {
  readonly #limitMs: number;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Waits until something holds; `what` completes the sentence "expected that ...". */
  async until(what: string, holds: () => boolean | Promise<boolean>, seen = (): string => ""): Promise<void> {
    const end = performance.now() + this.#limitMs;
    while (!(await holds())) {
      if (performance.now() > end) throw this.#exhausted(what, seen());
      await pause(POLL_MS);
    }
  }

  /** Waits until what is read shows something; otherwise the error has what was read last. */
  untilRead<T>(what: string, read: () => Promise<T>, holds: (found: T) => boolean): Promise<void> {
    let last: T;
    const isShown = async (): Promise<boolean> => {
      last = await read();
      return holds(last);
    };
    return this.until(what, isShown, () => `, and the last read was ${JSON.stringify(last)}`);
  }

  async settled<T>(what: string, promise: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(this.#exhausted(what)), this.#limitMs);
    });
    return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
  }

  #exhausted(what: string, seen = ""): AssertionError {
    return new AssertionError({
      message: `expected that ${what}; it did not happen within ${this.#limitMs} ms${seen}`,
    });
  }
}
