import type { Clock } from "../../core/clock.ts";
import { ENGINE_CALLER } from "../../core/load/caller-queue.ts";
import type { Gate } from "../../core/load/gate.ts";
import type { Steps } from "../../core/load/steps.ts";

/** Does one step now and each further one as a task of its own. */
export function runAsTasks(clock: Clock, steps: Steps): void {
  if (!steps.next().done) clock.schedule(0, () => runAsTasks(clock, steps));
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
