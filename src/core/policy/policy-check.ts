import type { Call } from "../calls/call.ts";
import type { FoundBefore, Reads } from "../calls/reads.ts";
import { conformingOutput } from "../calls/reply.ts";
import type { Clock } from "../clock.ts";
import { AdminError } from "../errors.ts";
import type { Listeners } from "../events.ts";
import { type Direction, directionOf, isShown, type StateBefore } from "../operations/operation.ts";
import type { AuditTrail } from "../records/audit-trail.ts";
import type { StopKind } from "../stops/stoppable.ts";
import { within } from "../timeout.ts";
import { type Fields, isThenable, messageOf } from "../values/basics.ts";
import type { Policy, PolicyContext, PolicyRequest } from "./policy.ts";

export interface PolicyCheckOptions {
  readonly policy: Policy;
  readonly clock: Clock;
  readonly trail: AuditTrail;
  readonly listeners: Listeners;
  /** Time limit of a command, in milliseconds. */
  readonly timeoutMs: number;
  readonly reads: Reads;
  readonly stopKinds: readonly StopKind[];
}

/** Applies the host's policy to commands; if it fails, the lane decides (decision D-LOAD 4). */
export class PolicyCheck {
  readonly #options: PolicyCheckOptions;

  constructor(options: PolicyCheckOptions) {
    this.#options = options;
  }

  /** Resolves if the command may proceed. Throws `POLICY_DENIED` with the policy's reason, or `POLICY_FAILED` for a change. */
  async admit(call: Call, input: Fields, due: number): Promise<void> {
    const { direction, before } = await this.#foundOut(call, input, due);
    const annotations: Record<string, string> = {};
    call.policy = { direction, annotations, before };
    const report = (cause: unknown): void =>
      this.#report(call, `Beside the decision, the policy failed: ${messageOf(cause)}`, cause);
    const reasonOfStop = (): Promise<string | undefined> => this.#reasonOfStop(call, input, due);
    const request = requestOf(call, input, direction, { annotations, report, reasonOfStop });
    const reason = await this.#reason(call, request);
    if (reason === undefined) return;
    throw new AdminError("POLICY_DENIED", reason === "" ? "Refused by policy" : reason);
  }

  async #reason(call: Call, request: PolicyRequest): Promise<string | undefined> {
    try {
      const reason: unknown = await this.#decision(call, request);
      if (reason === undefined || typeof reason === "string") return reason;
      throw new TypeError(`The policy returned ${String(reason)}, not undefined or a text`);
    } catch (cause) {
      this.#failed(call, cause);
      return undefined;
    }
  }

  /** A broken policy never blocks a stop. */
  #failed(call: Call, cause: unknown): void {
    const isStop = call.operation.lane === "stop";
    const effect = isStop ? "the stop continues without it" : "the change was not sent";
    const message = `The policy failed, ${effect}; details are in the monitor log`;
    if (!isStop) throw isEngineBusy(cause) ? cause : new AdminError("POLICY_FAILED", message, { cause });
    this.#report(call, message, cause);
  }

  #report({ name, requestId }: Call, message: string, cause: unknown): void {
    const error = new AdminError("POLICY_FAILED", message, { cause });
    this.#options.listeners.emit("failure", { operation: name, requestId, error });
  }

  #decision(call: Call, request: PolicyRequest): unknown {
    const { policy, clock, trail, timeoutMs } = this.#options;
    const decision: unknown = policy(request);
    if (!isThenable(decision)) return decision;
    const limit = Math.min(trail.timeoutOf(call), timeoutMs / 2);
    return within(clock, limit, decision, `The policy did not decide within ${limit} ms`);
  }

  async #reasonOfStop(call: Call, input: Fields, due: number): Promise<string | undefined> {
    const kind = this.#options.stopKinds.find(({ undo }) => undo === call.name);
    if (!kind?.showsReason) return undefined;
    const target = Object.fromEntries(kind.target.map((field) => [field, input[field]]));
    try {
      const state = (await this.#options.reads.state(call, kind.read, target, due, conformingOutput)) as Fields;
      return isShown(kind.shown, state) ? String(state.reason) : undefined;
    } catch (error) {
      // A target that the engine does not have is not stopped.
      if (AdminError.from(error).code === "NOT_FOUND") return undefined;
      throw error;
    }
  }

  #foundOut(call: Call, input: Fields, due: number): FoundBefore | Promise<FoundBefore> {
    const { operation } = call;
    if (operation.before) return this.#foundByState(call, operation.before, input, due);
    const direction = directionOf(operation, input);
    if (direction === undefined) throw new Error(`The operation table does not give the direction of ${call.name}`);
    return { direction };
  }

  async #foundByState(call: Call, before: StateBefore, input: Fields, due: number): Promise<FoundBefore> {
    try {
      return await this.#options.reads.stateBefore(call, before, input, due);
    } catch (thrown) {
      const error = AdminError.from(thrown);
      // A state that the engine does not show cannot prove that the change tightens.
      if (error.outcome === "rejected") return { direction: "loosens" };
      if (isEngineBusy(error)) throw error;
      throw new AdminError(
        "POLICY_FAILED",
        "What the change acts on could not be read for the policy, so the change was not sent; details are in the monitor log",
        { cause: error },
      );
    }
  }
}

/** Whether a read that the decision needs could not be sent: whoever asks again has done nothing twice. */
function isEngineBusy(error: unknown): error is AdminError {
  return error instanceof AdminError && (error.code === "ENGINE_OVERLOADED" || error.code === "ENGINE_UNAVAILABLE");
}

function requestOf(
  { name, principal, operation, requestId, arrival, context: { address, traceparent } }: Call,
  input: Fields,
  direction: Direction,
  { annotations, ...more }: Pick<PolicyContext, "report" | "reasonOfStop"> & { annotations: Record<string, string> },
): PolicyRequest {
  const annotate = (key: string, value: string): void => {
    annotations[key] = value;
  };
  const context = { requestId, arrival: arrival.place, address, traceparent, annotate, ...more };
  // The input has been checked against the operation of this name.
  return { principal, operation: name, lane: operation.lane, direction, input, context } as unknown as PolicyRequest;
}
