import { BoundedMap } from "../values/bounded-map.ts";
import { stepsKey } from "./target.ts";

/** Targets of which the latest command is kept. */
const MAX_TARGETS = 1_000;

/** A command on a target, which is given as `targetSteps` does. */
interface OnTarget {
  readonly steps: readonly string[];
}

/** The latest command on each target. Those that are no longer kept stand together as one on everything. */
export class LatestByTarget<C extends OnTarget> {
  readonly #rank: (command: C) => number;
  /** The target that was noted last comes last. */
  readonly #latest = new BoundedMap<string, C>(MAX_TARGETS);
  #forgotten: C | undefined;

  /** `rank` is a command's place in time: of two, the higher one is the later. */
  constructor(rank: (command: C) => number) {
    this.#rank = rank;
  }

  note(command: C): void {
    const key = stepsKey(command.steps);
    const [, oldest] = this.#latest.setNewest(key, this.#later(this.#latest.get(key), command)) ?? [];
    if (oldest) this.#forgotten = { ...this.#later(this.#forgotten, oldest), steps: [] };
  }

  /** The latest one on exactly this target, if it is still kept. */
  on(steps: readonly string[]): C | undefined {
    return this.#latest.get(stepsKey(steps));
  }

  *[Symbol.iterator](): Iterator<C> {
    if (this.#forgotten) yield this.#forgotten;
    yield* this.#latest.values();
  }

  #later(one: C | undefined, other: C): C {
    return one && this.#rank(one) > this.#rank(other) ? one : other;
  }
}
