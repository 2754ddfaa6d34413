import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import type { Clock } from "../core/clock.ts";
import { isThenable } from "../core/values/basics.ts";

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

/** Turns of the event loop in which the clock stands, so that what needs no time is not overtaken by it. */
const TURNS_WITHOUT_TIME = 50;
/** How far the clock goes in each turn after that, and in all. */
const STEP_MS = 25;
const LIMIT_MS = 60_000;

/**
 * Lets the program run, and the held clock go on in small steps, until a condition holds; returns what it gave. Throws after a
 * minute of the held time.
 */
export async function until<T>(clock: ManualClock, condition: () => T | Promise<T>): Promise<T> {
  const end = clock.now() + LIMIT_MS;
  for (let turns = 0; clock.now() < end; turns += 1) {
    const value = await settled(clock, condition, end);
    if (value) return value;
    await oneTurn(clock, turns);
  }
  throw new Error(`until: after ${LIMIT_MS / 1000} s of the held clock this does not hold: ${condition}`);
}

/** The value of a condition that may itself wait for the clock. */
async function settled<T>(clock: ManualClock, condition: () => T | Promise<T>, end: number): Promise<T | undefined> {
  const asked = condition();
  if (!isThenable(asked)) return asked;
  let isSettled = false;
  const mark = (): void => {
    isSettled = true;
  };
  asked.then(mark, mark);
  for (let turns = 0; !isSettled && clock.now() < end; turns += 1) await oneTurn(clock, turns);
  return isSettled ? asked : undefined;
}

async function oneTurn(clock: ManualClock, turns: number): Promise<void> {
  if (turns < TURNS_WITHOUT_TIME) return turn();
  // A transport with sockets needs time of this machine.
  await pause(1);
  clock.advance(STEP_MS);
}
