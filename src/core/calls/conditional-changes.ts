import { type Clock, monotonicMs } from "../clock.ts";
import { AdminError } from "../errors.ts";
import type { Fields } from "../values/basics.ts";
import type { Call } from "./call.ts";

/** For so long a change of unknown outcome counts as in progress: it may take effect yet. */
const DOUBT_MS = 60_000;

/** A change of a state on which changes may be conditional, from before its condition is checked until its outcome is known. */
interface PendingChange {
  readonly key: string;
  isSent: boolean;
  /** Another one was sent whose effect the check may not have seen. */
  isOvertaken: boolean;
  /** When one of unknown outcome no longer counts, monotonic milliseconds. */
  until?: number;
}

/**
 * Lets no change of this API come between the check of a condition and the change that depends on it: of two that were checked against the
 * same state, the second is refused (decision D-HTTP 38).
 */
export class ConditionalChanges {
  readonly #clock: Clock;
  readonly #pending = new Map<string, Set<PendingChange>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Registers a change before its condition is checked; undefined for one on whose state nothing can be conditional. */
  begin({ operation, name }: Call, input: Fields): PendingChange | undefined {
    if (operation.ifMatch === undefined) return undefined;
    // An engine may take the keys of a projection in any order.
    const target = operation.target.map((field) => String(input[field]).split("/").sort());
    const key = JSON.stringify([name, target]);
    const others = this.#pending.get(key) ?? new Set();
    const now = monotonicMs(this.#clock);
    for (const other of others) if (other.until !== undefined && other.until <= now) others.delete(other);
    const isOvertaken = [...others].some(({ isSent }) => isSent);
    const change = { key, isSent: false, isOvertaken };
    this.#pending.set(key, others.add(change));
    return change;
  }

  /** Registers that a change is sent now. Throws `PRECONDITION_FAILED` for a conditional one if another came in between. */
  send(change: PendingChange | undefined, isConditional: boolean): void {
    if (!change) return;
    if (isConditional && change.isOvertaken) {
      const message =
        "Another change of the state that If-Match names came in between, or is in progress; nothing was sent";
      throw new AdminError("PRECONDITION_FAILED", message);
    }
    change.isSent = true;
    for (const other of this.#pending.get(change.key) ?? []) other.isOvertaken ||= other !== change;
  }

  /** Registers that the outcome of a change is known. */
  end(change: PendingChange | undefined): void {
    if (!change) return;
    const pending = this.#pending.get(change.key);
    pending?.delete(change);
    if (pending?.size === 0) this.#pending.delete(change.key);
  }

  /** Registers that the outcome of a change is unknown, until a late reply ends it. */
  doubt(change: PendingChange | undefined): void {
    if (change) change.until = monotonicMs(this.#clock) + DOUBT_MS;
  }
}
