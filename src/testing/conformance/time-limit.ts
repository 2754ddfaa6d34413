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
  async until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    const end = performance.now() + this.#limitMs;
    while (!(await holds())) {
      if (performance.now() > end) throw this.#exhausted(what);
      await pause(POLL_MS);
    }
  }

  async settled<T>(what: string, promise: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(this.#exhausted(what)), this.#limitMs);
    });
    return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
  }

  #exhausted(what: string): AssertionError {
    return new AssertionError({ message: `expected that ${what}; it did not happen within ${this.#limitMs} ms` });
  }
}
