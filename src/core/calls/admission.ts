import { type Clock, monotonicMs } from "../clock.ts";
import type { EngineLink } from "../engine/engine-link.ts";
import { AdminError } from "../errors.ts";
import { entityTagOf } from "../load/output-form.ts";
import type { OperationName } from "../operations/table.ts";
import type { PolicyCheck } from "../policy/policy-check.ts";
import { type AuditDetails, recordedInput } from "../records/audit-trail.ts";
import type { Refusals } from "../records/limited-records.ts";
import type { UnknownFields } from "../validation/input-size.ts";
import type { ValidInput } from "../validation/validation.ts";
import { type Fields, isObject } from "../values/basics.ts";
import type { Call, InputSource } from "./call.ts";
import { checkCondition, checkedInput, checkPermission, recheckPermission } from "./checks.ts";
import type { Reads } from "./reads.ts";

/** Minimum time left for the record of a change, unless the deadline itself is short: a healthy disk takes less. */
const MIN_MS = 500;

export interface AdmissionOptions {
  readonly clock: Clock;
  readonly link: EngineLink;
  /** From the arrival of a change to its deadline. */
  readonly timeoutMs: number;
  readonly refusals: Refusals;
  readonly unknownFields: UnknownFields;
  readonly policy: PolicyCheck | undefined;
  readonly reads: Reads;
}

/** A valid input, and when the reply is due, in monotonic milliseconds. */
export interface Admitted {
  readonly prepared: ValidInput["prepared"];
  readonly due: number;
}

/** Decides whether a mutation may be sent: permission, input, policy. Refusals are recorded (decision D-LOG 8). */
export class Admission {
  readonly #options: AdmissionOptions;
  /** Whether mutations have to pass {@link checkPolicy}. */
  readonly hasPolicy: boolean;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.hasPolicy = options.policy !== undefined;
  }

  /** Checks the permission, then reads and checks the input. Throws `REQUEST_TIMEOUT` for a change that took too long until then. */
  async checkInput(call: Call, source: InputSource): Promise<Admitted> {
    let input = source.known;
    try {
      checkPermission(call);
      checkCondition(call);
      const raw = await source.read();
      if (isObject(raw)) input = raw;
      recheckPermission(call);
      const { prepared } = checkedInput(call, raw, this.#options.unknownFields);
      return { prepared, due: this.#dueOf(call) };
    } catch (thrown) {
      return this.#refused(call, input, false, thrown);
    }
  }

  /** Asks the policy about a valid input; the reply to the mutation is due at a monotonic moment. */
  async checkPolicy(call: Call, input: Fields, due: number): Promise<void> {
    try {
      await this.#options.policy?.admit(call, input, due);
      this.#checkTime(call, due);
    } catch (thrown) {
      await this.#refused(call, input, true, thrown);
    }
  }

  /** Compares what a change is conditional on with the state now, right before it is sent: what is left of its time after that has to suffice. */
  async checkState(call: Call, input: Fields, due: number): Promise<void> {
    await checkIfMatch(this.#options.reads, call, input, due - this.#leastMs);
  }

  /** The time of a change counts from its arrival, that of a stop from now: it is wanted however late it comes (decision D-ENG 15). */
  #dueOf(call: Call): number {
    const { operation, arrival } = call;
    const { link } = this.#options;
    const due = operation.lane === "stop" ? link.due() : link.due(arrival.at);
    this.#checkTime(call, due);
    return due;
  }

  get #leastMs(): number {
    return Math.min(MIN_MS, this.#options.timeoutMs / 2);
  }

  #checkTime({ operation }: Call, due: number): void {
    if (operation.lane === "stop" || due - monotonicMs(this.#options.clock) >= this.#leastMs) return;
    throw new AdminError("REQUEST_TIMEOUT", "The change took too long to arrive or to be checked; nothing was sent");
  }

  async #refused(call: Call, input: Fields, isValid: boolean, thrown: unknown): Promise<never> {
    const { outcome, status, message } = AdminError.from(thrown);
    const details = (): AuditDetails => ({ ...recordedInput(call, input, isValid), status, message });
    await this.#options.refusals.add(call, outcome, details);
    throw thrown;
  }
}

/**
 * Compares the state that a change is conditional on with what its caller has seen. The engine is read by `due`, monotonic milliseconds.
 * Throws `PRECONDITION_FAILED`, and for a state that cannot be read what says that nothing was sent (decision D-HTTP 38).
 */
async function checkIfMatch(reads: Reads, call: Call, input: Fields, due: number): Promise<void> {
  const { operation, context } = call;
  if (!context.ifMatch || operation.ifMatch === undefined) return;
  const target = Object.fromEntries(operation.target.map((field) => [field, input[field]]));
  const present = await entityTagNow(reads, call, operation.ifMatch as OperationName, target, due);
  if (context.ifMatch(present)) return;
  throw new AdminError(
    "PRECONDITION_FAILED",
    `The state is not the one that If-Match names: ${operation.ifMatch} shows another one now; nothing was sent`,
  );
}

async function entityTagNow(
  reads: Reads,
  call: Call,
  name: OperationName,
  input: Fields,
  due: number,
): Promise<string> {
  try {
    return entityTagOf(await reads.json(call, name, input, due));
  } catch (cause) {
    const { code, outcome } = AdminError.from(cause);
    if (outcome !== "unknown") throw cause;
    const why = code === "ENGINE_TIMEOUT" ? "in time" : "completely";
    const message = `The state that If-Match names could not be read ${why}; nothing was sent`;
    throw new AdminError(code === "ENGINE_TIMEOUT" ? "ENGINE_UNAVAILABLE" : "INTERNAL", message, { cause });
  }
}
