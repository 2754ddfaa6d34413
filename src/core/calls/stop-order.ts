import { AdminError } from "../errors.ts";
import { covers, LatestByTarget, stepsInWords, targetSteps } from "../operations/target.ts";
import type { Fields } from "../values/basics.ts";
import type { ProjectionKeys } from "../values/projection.ts";
import type { Call } from "./call.ts";

interface RequestedStop {
  readonly name: string;
  /** Its target as steps down from the whole system: path segments, or names. */
  readonly steps: readonly string[];
  /** Its place in the order of arrival. */
  readonly place: number;
  /** How many stops had been requested, this one included. */
  readonly requested: number;
}

/**
 * Prevents changes from overtaking stops (decision D-LOAD 1): a change is refused if a stop of the same or an enclosing target that
 * arrived later was requested before the record of the change was persisted, or has even been sent.
 */
export class StopOrder {
  readonly #keys: ProjectionKeys;
  #requested = 0;
  readonly #unsent = new Map<Call, RequestedStop>();
  readonly #sent = new LatestByTarget<RequestedStop>(({ place }) => place);

  constructor(keys: ProjectionKeys) {
    this.#keys = keys;
  }

  get requested(): number {
    return this.#requested;
  }

  /** Registers a stop whose permission and input have been checked. */
  register(call: Call, input: Fields): void {
    this.#requested += 1;
    const { name, operation, arrival } = call;
    const steps = targetSteps(operation.target, input, this.#keys);
    this.#unsent.set(call, { name, steps, place: arrival.place, requested: this.#requested });
  }

  /** Registers that a stop was sent, or ended unsent; idempotent. */
  sent(call: Call): void {
    const stop = this.#unsent.get(call);
    if (!stop) return;
    this.#unsent.delete(call);
    this.#sent.note(stop);
  }

  /** Throws `STOP_CAME_FIRST` for a change that a stop precedes; `requested` is {@link requested} when its record was persisted. */
  check({ operation, arrival: { place } }: Call, input: Fields, requested: number): void {
    let steps: readonly string[] | undefined;
    const unsent = [...this.#unsent.values()].filter((stop) => stop.requested <= requested);
    for (const stop of [...this.#sent.all, ...unsent]) {
      if (stop.place < place) continue;
      steps ??= targetSteps(operation.target, input, this.#keys);
      if (covers(stop.steps, steps)) throw refusal(stop);
    }
  }
}

function refusal({ name, steps }: RequestedStop): AdminError {
  return new AdminError(
    "STOP_CAME_FIRST",
    `A stop (${name} of ${stepsInWords(steps)}) was asked for after this change and before it could be sent; nothing was sent`,
  );
}
