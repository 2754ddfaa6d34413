import { AdminError } from "../errors.ts";
import type { Fields } from "../values/basics.ts";
import { type ProjectionKeys, parseProjectionPath, printProjectionPath } from "../values/projection.ts";
import type { Call } from "./call.ts";

/** The input field that names a node of the position/risk tree (specification, convention 4). */
const PATH_FIELD = "projectionPath";

/** Stops kept; an overflow replaces them all with one stop of everything. */
const MAX_STOPS = 1_000;

/** A stop requested while an older change was pending. */
interface AskedStop {
  readonly call: Call;
  readonly steps: readonly string[];
  /** Sequence number among all mutations. */
  readonly called: number;
  /** Number of stops requested so far, including this one. */
  readonly asked: number;
  /** Whether it has been sent. */
  sent: boolean;
}

/** A change that is still unsent. */
interface PendingChange {
  readonly called: number;
  /** Number of stops requested when its record was kept. */
  recorded: number;
}

/**
 * Prevents changes from overtaking stops (decision D-LOAD 1): a change is refused if a stop of the same or an enclosing target was
 * requested after the call of the change and before its record was kept, or was even sent before it. Stops are kept only while an older
 * change is pending.
 */
export class StopOrder {
  readonly #keys: ProjectionKeys;
  #called = 0;
  #asked = 0;
  readonly #pending = new Map<Call, PendingChange>();
  /** Unchecked stops with their sequence numbers. */
  readonly #arriving = new Map<Call, number>();
  #stops: AskedStop[] = [];

  constructor(keys: ProjectionKeys) {
    this.#keys = keys;
  }

  /** Registers a mutation. */
  arrived(call: Call): void {
    this.#called += 1;
    if (call.operation.lane === "change") this.#pending.set(call, { called: this.#called, recorded: 0 });
    else this.#arriving.set(call, this.#called);
  }

  /** Registers that permission and input were checked: from here on a stop counts. */
  accepted(call: Call, input: Fields): void {
    const called = this.#arriving.get(call);
    if (called === undefined || this.#pending.size === 0) return;
    this.#asked += 1;
    const stop = { call, steps: this.#steps(call, input), called, asked: this.#asked, sent: false };
    this.#stops = this.#stops.length < MAX_STOPS ? [...this.#stops, stop] : [{ ...stop, steps: [], asked: 0 }];
  }

  /** Registers that the intent of a change was kept. */
  recorded(call: Call): void {
    const change = this.#pending.get(call);
    if (change) change.recorded = this.#asked;
  }

  /** Throws `STOP_CAME_FIRST` if a stop that covers the change came between its call and its record. */
  check(call: Call, input: Fields): void {
    const change = this.#pending.get(call);
    if (!change || this.#stops.length === 0) return;
    const steps = this.#steps(call, input);
    for (const stop of this.#stops) {
      const cameFirst = stop.sent || stop.asked <= change.recorded;
      if (cameFirst && stop.called > change.called && covers(stop, steps)) throw refusal(stop);
    }
  }

  /** Registers that a call was sent, or ended unsent; idempotent. */
  left(call: Call): void {
    if (this.#arriving.delete(call)) for (const stop of this.#stops) if (stop.call === call) stop.sent = true;
    if (!this.#pending.delete(call) || this.#stops.length === 0) return;
    // The oldest comes first.
    const [oldest] = this.#pending.values();
    this.#stops = oldest ? this.#stops.filter(({ called }) => called > oldest.called) : [];
  }

  /** The target of a call as steps down from the whole system: path segments, or names. */
  #steps({ operation }: Call, input: Fields): string[] {
    return operation.target.flatMap((field) => {
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

function refusal({ call: { name }, steps }: AskedStop): AdminError {
  const what = steps.length === 0 ? "everything" : steps.join("/");
  return new AdminError(
    "STOP_CAME_FIRST",
    `A stop (${name} of ${what}) was asked for after this change and before it could be sent; nothing was sent`,
  );
}
