/** Reads that may be under way before any was answered. */
const FIRST = 16;
/** Fewest, however congested it is. */
const LEAST = 4;
/** The limit is halved once in this time at most: what is under way brings the same news again and again. */
const STEP_MS = 100;

/**
 * How many reads may be under way at the engine, as TCP decides on packets: one more with each answer, half of them when answers
 * come faster than they can be passed on.
 */
export class ReadLimit {
  #limit = FIRST;
  #halvedAt = Number.NEGATIVE_INFINITY;

  /** The limit now, which is never above `most`. */
  current(most: number): number {
    return Math.min(most, this.#limit);
  }

  /** An answer came; the limit never grows above `most`. */
  answered(most: number): void {
    if (this.#limit < most) this.#limit += 1;
  }

  /** Answers wait too long, or have no place. `now` is in monotonic milliseconds. */
  congested(now: number): void {
    if (now - this.#halvedAt < STEP_MS) return;
    this.#limit = Math.max(LEAST, Math.floor(this.#limit / 2));
    this.#halvedAt = now;
  }
}
