import type { Clock } from "../../core/clock.ts";
import { ENGINE_CALLER } from "../../core/load/caller-queue.ts";
import type { Gate } from "../../core/load/gate.ts";

/** Work in steps of at most a fraction of a millisecond, so that others can have the thread in between. */
export type Steps<T = void> = Generator<void, T>;

/** Does all steps at once. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Does one step now and each further one as a task of its own. */
export function runAsTasks(clock: Clock, steps: Steps): void {
  if (!steps.next().done) clock.schedule(0, () => runAsTasks(clock, steps));
}

/**
 * Does something with each item, `atATime` of them in one step. Steps are counted and not timed: engines with equal
 * installations, seeds and clocks behave alike.
 */
export function* forEachInSteps<T>(items: readonly T[], atATime: number, act: (item: T) => void): Steps {
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % atATime === 0) yield;
    act(item);
  }
}

/**
 * Reads with too many rows for one piece of work. They are done one after the other, in steps as the gate allows, so that any number of
 * them delays other requests no more than one does.
 */
export class LongReads {
  readonly #gate: Gate;
  #last: Promise<unknown> = Promise.resolve();

  constructor(gate: Gate) {
    this.#gate = gate;
  }

  /** Begins as soon as the reads that came before are done; rejects with what a step throws. */
  run<T>(steps: Steps<T>): Promise<T> {
    const read = this.#last.then(() => this.#gate.steps(ENGINE_CALLER, steps));
    this.#last = read.catch(() => {});
    return read;
  }
}
