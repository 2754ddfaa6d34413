import { AdminError } from "../errors.ts";
import type { Fields } from "../values/basics.ts";
import { type ProjectionKeys, parseProjectionPath, printProjectionPath } from "../values/projection.ts";
import type { Call } from "./call.ts";

/** The input field that names a node of the position/risk tree (specification, convention 4). */
const PATH_FIELD = "projectionPath";

/** Targets whose latest stop is kept. */
const MAX_STOPS = 1_000;

/** The latest stop of a target. */
interface AskedStop {
  readonly name: string;
  readonly steps: readonly string[];
  /** Its place in the order of arrival. */
  readonly place: number;
}

/**
 * Prevents changes from overtaking stops (decision D-LOAD 1): a change is refused if a stop of the same or an enclosing target that
 * arrived later has been asked for by the time at which the change would be sent.
 */
export class StopOrder {
  readonly #keys: ProjectionKeys;
  /** By target, the latest stop last. */
  readonly #stops = new Map<string, AskedStop>();
  /** Stands for those that are no longer kept: a stop of everything. */
  #forgotten: AskedStop | undefined;

  constructor(keys: ProjectionKeys) {
    this.#keys = keys;
  }

  /** Registers a stop whose permission and input have been checked. */
  asked({ name, operation, arrival: { place } }: Call, input: Fields): void {
    const steps = this.#steps(operation.target, input);
    const key = steps.toSorted().join("\n");
    const before = this.#stops.get(key);
    this.#stops.delete(key);
    this.#stops.set(key, before && before.place > place ? before : { name, steps, place });
    const [oldest] = this.#stops;
    if (!oldest || this.#stops.size <= MAX_STOPS) return;
    this.#stops.delete(oldest[0]);
    this.#forgotten = { ...oldest[1], steps: [] };
  }

  /** Throws `STOP_CAME_FIRST` if a stop that covers the change arrived after it. */
  check({ operation, arrival: { place } }: Call, input: Fields): void {
    let steps: readonly string[] | undefined;
    for (const stop of this.#all()) {
      if (stop.place < place) continue;
      steps ??= this.#steps(operation.target, input);
      if (covers(stop, steps)) throw refusal(stop);
    }
  }

  *#all(): Iterable<AskedStop> {
    if (this.#forgotten) yield this.#forgotten;
    yield* this.#stops.values();
  }

  /** The target of a call as steps down from the whole system: path segments, or names. */
  #steps(target: readonly string[], input: Fields): string[] {
    return target.flatMap((field) => {
      const value = String(input[field]);
      if (field !== PATH_FIELD) return [`${field}=${value}`];
      return parseProjectionPath(value, this.#keys).map((segment) => printProjectionPath([segment]));
    });
  }
}

/**
 * Whether a stop acts on the same thing, or on one that contains it; the empty path contains everything. The order of segments makes no
 * difference to the engine.
 */
function covers(stop: AskedStop, steps: readonly string[]): boolean {
  return stop.steps.every((step) => steps.includes(step));
}

function refusal({ name, steps }: AskedStop): AdminError {
  const what = steps.length === 0 ? "everything" : steps.join("/");
  return new AdminError(
    "STOP_CAME_FIRST",
    `A stop (${name} of ${what}) was asked for after this change and before it could be sent; nothing was sent`,
  );
}
