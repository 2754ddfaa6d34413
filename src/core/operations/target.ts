import type { Fields } from "../values/basics.ts";
import { BoundedMap } from "../values/bounded-map.ts";
import {
  ANY_PROJECTION_KEY,
  type ProjectionKeys,
  ProjectionSyntaxError,
  parseProjectionPath,
  printProjectionPath,
} from "../values/projection.ts";

/** The input field that names a node of the position/risk tree (specification, convention 4). */
export const PATH_FIELD = "projectionPath";

/**
 * What a command acts on as steps down from the whole system: path segments, or names. Throws `ProjectionSyntaxError` for a path with
 * other keys.
 */
export function targetSteps(target: readonly string[], input: Fields, keys: ProjectionKeys): string[] {
  return target.flatMap((field) => {
    const value = String(input[field]);
    if (field !== PATH_FIELD) return [`${field}=${value}`];
    return parseProjectionPath(value, keys).map((segment) => printProjectionPath([segment]));
  });
}

/**
 * Whether a target contains another, or is the same; that of the whole system contains everything. The order of segments makes no
 * difference to the engine.
 */
export function covers(outer: readonly string[], inner: readonly string[]): boolean {
  return outer.every((step) => inner.includes(step));
}

/** `Account[GOLD]/Symbol[AAPL]`, or `everything`. */
export function stepsInWords(steps: readonly string[]): string {
  return steps.length === 0 ? "everything" : steps.join("/");
}

/** A text that is the same for equal targets: the order of a path's segments makes no difference to the engine. */
export function stepsKey(steps: readonly string[]): string {
  return JSON.stringify([...steps].sort());
}

/** A path as steps down from the whole system, whatever keys the installation has. Throws `ProjectionSyntaxError`. */
export function pathSteps(path: string): string[] {
  return targetSteps([PATH_FIELD], { [PATH_FIELD]: path }, ANY_PROJECTION_KEY);
}

/** A text that is the same for all paths of a node; one that is not a path stays as it is. */
export function nodeKey(path: string): string {
  try {
    return stepsKey(pathSteps(path));
  } catch (error) {
    if (error instanceof ProjectionSyntaxError) return path;
    throw error;
  }
}

/** Targets of which the latest command is kept. */
const MAX_TARGETS = 1_000;

/** The latest command on each target. Those that are no longer kept stand together as one on everything. */
export class LatestByTarget<C extends { readonly steps: readonly string[] }> {
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

  /** The latest ones on all targets. */
  get all(): readonly C[] {
    return [...(this.#forgotten ? [this.#forgotten] : []), ...this.#latest.values()];
  }

  #later(one: C | undefined, other: C): C {
    return one && this.#rank(one) > this.#rank(other) ? one : other;
  }
}
