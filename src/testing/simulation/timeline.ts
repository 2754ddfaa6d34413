import { setImmediate as turn } from "node:timers/promises";

interface Moment {
  readonly at: number;
  /** Among those of one time, the one that was planned first comes first. */
  readonly place: number;
  readonly run: () => void;
  cancelled: boolean;
}

/**
 * Turns of the event loop that what happens at one moment may take, until all waits for time or for another machine: no part of the
 * product goes through the gate more often in a row.
 */
const TURNS = 8;

/** Time of the whole world, in milliseconds from 0: it jumps from one event to the next. */
export class Timeline {
  /** A heap: no moment is earlier than the one at half its index. */
  readonly #moments: Moment[] = [];
  #now = 0;
  #places = 0;

  get now(): number {
    return this.#now;
  }

  /** Runs something at a time, or as the next thing where that has passed; the returned function cancels it. */
  at(time: number, run: () => void): () => void {
    this.#places += 1;
    const moment: Moment = { at: Math.max(time, this.#now), place: this.#places, run, cancelled: false };
    this.#push(moment);
    return () => {
      moment.cancelled = true;
    };
  }

  after(delayMs: number, run: () => void): () => void {
    return this.at(this.#now + delayMs, run);
  }

  /** Lets everything happen until a time. */
  async runUntil(end: number): Promise<void> {
    for (let next = this.#moments[0]; next && next.at <= end; next = this.#moments[0]) {
      this.#pop();
      if (next.cancelled) continue;
      this.#now = next.at;
      next.run();
      for (let turns = 0; turns < TURNS; turns += 1) await turn();
    }
    this.#now = end;
  }

  #push(moment: Moment): void {
    const heap = this.#moments;
    let index = heap.push(moment) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(index, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  #pop(): void {
    const heap = this.#moments;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    heap[0] = last;
    for (let index = 0; ; ) {
      const left = 2 * index + 1;
      const right = left + 1;
      const child = right < heap.length && this.#isBefore(right, left) ? right : left;
      if (child >= heap.length || !this.#isBefore(child, index)) return;
      this.#swap(index, child);
      index = child;
    }
  }

  #isBefore(one: number, other: number): boolean {
    const a = this.#moments[one] as Moment;
    const b = this.#moments[other] as Moment;
    return a.at < b.at || (a.at === b.at && a.place < b.place);
  }

  #swap(one: number, other: number): void {
    const moment = this.#moments[one] as Moment;
    this.#moments[one] = this.#moments[other] as Moment;
    this.#moments[other] = moment;
  }
}
