import { LRUCache } from "lru-cache";
import type { Clock } from "../../core/clock.ts";

interface Failures {
  readonly score: number;
  /** When the score was that. */
  readonly at: number;
}

/** Time in which one failure is forgotten. */
const FORGET_MS = 30_000;

/** Keys that are kept; beyond that, the one whose last failure is the oldest is forgotten. */
const CAPACITY = 10_000;

/** Counts failures by key. A score falls evenly, by one in 30 seconds. */
export class FailureScores {
  readonly #clock: Clock;
  readonly #byKey = new LRUCache<string, Failures>({ max: CAPACITY });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Keys that are kept now. */
  get size(): number {
    return this.#byKey.size;
  }

  /** The failures of a key that are not forgotten; in general no whole number. */
  of(key: string): number {
    // A look at a score does not make its last failure any newer.
    const failures = this.#byKey.peek(key);
    if (!failures) return 0;
    // A clock that was set back forgets nothing.
    const elapsed = Math.max(0, this.#clock.now() - failures.at);
    return Math.max(0, failures.score - elapsed / FORGET_MS);
  }

  /** Adds a failure, which does not raise the score above `most`. */
  add(key: string, most: number): void {
    const before = this.of(key);
    this.#byKey.set(key, { score: Math.max(before, Math.min(before + 1, most)), at: this.#clock.now() });
  }

  /** Forgets all failures of a key. */
  clear(key: string): void {
    this.#byKey.delete(key);
  }
}
