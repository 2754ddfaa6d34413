import type { Clock } from "../core/clock.ts";

interface Task {
  readonly due: number;
  readonly run: () => void;
}

/**
 * A clock that stands still until it is advanced: ten-second deadlines pass in no time, and runs can be repeated.
 *
 * @example
 * const { api, clock } = await startTestRig();
 * clock.advance(10_000);
 */
export class ManualClock implements Clock {
  #now: number;
  readonly #start: number;
  #tasks: Task[] = [];

  /** Starts at `startMs`, epoch milliseconds. */
  constructor(startMs = Date.UTC(2026, 0, 5, 9, 30)) {
    this.#now = startMs;
    this.#start = startMs;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now - this.#start;
  }

  schedule(delayMs: number, run: () => void): () => void {
    const task = { due: this.#now + Math.max(0, delayMs), run };
    this.#tasks.push(task);
    return () => {
      this.#tasks = this.#tasks.filter((other) => other !== task);
    };
  }

  /** Number of tasks that wait; zero means that nothing was left behind. */
  get pending(): number {
    return this.#tasks.length;
  }

  /** Lets `ms` pass: due tasks run in the order of their times, those scheduled meanwhile included. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (let next = this.#takeDue(end); next; next = this.#takeDue(end)) {
      this.#now = Math.max(this.#now, next.due);
      next.run();
    }
    this.#now = end;
  }

  #takeDue(end: number): Task | undefined {
    let first: Task | undefined;
    for (const task of this.#tasks) {
      if (task.due <= end && (!first || task.due < first.due)) first = task;
    }
    if (first) this.#tasks = this.#tasks.filter((task) => task !== first);
    return first;
  }
}
