import { AdminError } from "../errors.ts";
import { covers, stepsKey, targetSteps } from "../operations/target.ts";
import type { Fields } from "../values/basics.ts";
import type { ProjectionKeys } from "../values/projection.ts";
import type { Call } from "./call.ts";

/** Targets whose latest stop is kept. */
const MAX_TARGETS = 1_000;

/** A stop that has been asked for. */
interface AskedStop {
  readonly name: string;
  /** Its target as steps down from the whole system: path segments, or names. */
  readonly steps: readonly string[];
  /** Its place in the order of arrival. */
  readonly place: number;
  /** How many stops had been asked for, this one included. */
  readonly asked: number;
}

/**
 * Prevents changes from overtaking stops (decision D-LOAD 1): a change is refused if a stop of the same or an enclosing target that
 * arrived later was asked for before the record of the change was kept, or has even been sent.
 */
export class StopOrder {
  readonly #keys: ProjectionKeys;
  #asked = 0;
  readonly #unsent = new Map<Call, AskedStop>();
  /** The latest one of each target, the latest target last. */
  readonly #sent = new Map<string, AskedStop>();
  /** Stands for those that are no longer kept: a stop of everything. */
  #forgotten: AskedStop | undefined;

  constructor(keys: ProjectionKeys) {
    this.#keys = keys;
  }

  /** How many stops have been asked for. */
  get asked(): number {
    return this.#asked;
  }

  /** Registers a stop whose permission and input have been checked. */
  ask(call: Call, input: Fields): void {
    this.#asked += 1;
    const { name, operation, arrival } = call;
    const steps = targetSteps(operation.target, input, this.#keys);
    this.#unsent.set(call, { name, steps, place: arrival.place, asked: this.#asked });
  }

  /** Registers that a stop was sent, or ended unsent; idempotent. */
  sent(call: Call): void {
    const stop = this.#unsent.get(call);
    if (!stop) return;
    this.#unsent.delete(call);
    const target = stepsKey(stop.steps);
    const latest = later(this.#sent.get(target), stop);
    this.#sent.delete(target);
    this.#sent.set(target, latest);
    const [oldest] = this.#sent;
    if (!oldest || this.#sent.size <= MAX_TARGETS) return;
    this.#sent.delete(oldest[0]);
    this.#forgotten = { ...later(this.#forgotten, oldest[1]), steps: [] };
  }

  /** Throws `STOP_CAME_FIRST` for a change that a stop precedes; `asked` is {@link asked} when its record was kept. */
  check({ operation, arrival: { place } }: Call, input: Fields, asked: number): void {
    let steps: readonly string[] | undefined;
    for (const stop of this.#before(asked)) {
      if (stop.place < place) continue;
      steps ??= targetSteps(operation.target, input, this.#keys);
      if (covers(stop.steps, steps)) throw refusal(stop);
    }
  }

  *#before(asked: number): Iterable<AskedStop> {
    if (this.#forgotten) yield this.#forgotten;
    yield* this.#sent.values();
    for (const stop of this.#unsent.values()) if (stop.asked <= asked) yield stop;
  }
}

function later(one: AskedStop | undefined, other: AskedStop): AskedStop {
  return one && one.place > other.place ? one : other;
}

function refusal({ name, steps }: AskedStop): AdminError {
  const what = steps.length === 0 ? "everything" : steps.join("/");
  return new AdminError(
    "STOP_CAME_FIRST",
    `A stop (${name} of ${what}) was asked for after this change and before it could be sent; nothing was sent`,
  );
}
