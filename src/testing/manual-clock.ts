import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import type { Clock } from "../core/clock.ts";
import { functionLike, requireArgument } from "../core/options.ts";
import { isThenable } from "../core/values/basics.ts";

interface Task {
  readonly due: number;
  readonly run: () => void;
}

/**
 * A clock that is frozen until it is advanced: ten-second deadlines pass in no time, and runs can be repeated.
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
/** How long is waited in all: by the held clock, or by that of the machine where the held clock stands. */
const LIMIT_MS = 60_000;
const STANDING_LIMIT_MS = 20_000;

/** Result of a condition that holds. */
export type Truthy<T> = Exclude<T, false | 0 | "" | null | undefined>;

/** How `TestRig.until` waits. */
export interface UntilOptions {
  /** How far the clock goes in each turn of about a millisecond; 25 ms unless given, and 0 lets it stand. */
  readonly stepMs?: number;
}

/**
 * Lets the program run, and the held clock advance in small steps, until a condition holds; returns what it gave. Throws after a
 * minute of the held time, or after 20 s of the machine's time if the clock stands.
 */
export async function until<T>(
  clock: ManualClock,
  condition: () => T | Promise<T>,
  options: UntilOptions = {},
): Promise<Truthy<T>> {
  requireArgument("until", "condition", condition, functionLike("() => rig.received().length > 0"));
  const passing = new Passing(clock, options);
  for (let turns = 0; !passing.isOver; turns += 1) {
    const value = await settled(passing, condition);
    if (value) {
      // What else this turn of the event loop brings has its time before the clock is moved.
      await pause(1);
      return value as Truthy<T>;
    }
    await passing.turn(turns);
  }
  throw new Error(`until: after ${passing.limit} this does not hold: ${condition}`);
}

/** The value of a condition that may itself wait for the clock. */
async function settled<T>(passing: Passing, condition: () => T | Promise<T>): Promise<T | undefined> {
  const result = condition();
  if (!isThenable(result)) return result;
  let isSettled = false;
  const mark = (): void => {
    isSettled = true;
  };
  result.then(mark, mark);
  for (let turns = 0; !isSettled && !passing.isOver; turns += 1) await passing.turn(turns);
  return isSettled ? result : undefined;
}

/** The time in which a condition may come to hold. */
class Passing {
  readonly limit: string;
  readonly #clock: ManualClock;
  readonly #stepMs: number;
  readonly #now: () => number;
  readonly #end: number;

  constructor(clock: ManualClock, { stepMs = 25 }: UntilOptions) {
    this.#clock = clock;
    this.#stepMs = stepMs;
    this.#now = stepMs > 0 ? () => clock.now() : () => performance.now();
    const limitMs = stepMs > 0 ? LIMIT_MS : STANDING_LIMIT_MS;
    this.#end = this.#now() + limitMs;
    this.limit = `${limitMs / 1000} s ${stepMs > 0 ? "of the held clock" : "in which the clock stood"}`;
  }

  get isOver(): boolean {
    return this.#now() >= this.#end;
  }

  async turn(turns: number): Promise<void> {
    if (turns < TURNS_WITHOUT_TIME) return turn();
    // A transport with sockets needs time of this machine.
    await pause(1);
    this.#clock.advance(this.#stepMs);
  }
}
