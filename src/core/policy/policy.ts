import type { CallContext } from "../calls/call.ts";
import type { Direction, Lane } from "../operations/operation.ts";
import type { EngineInput, OperationName } from "../operations/table.ts";
import type { Principal } from "../principal.ts";

/** What a policy may know of a call besides operation, input and principal. */
export interface PolicyContext extends Pick<CallContext, "address" | "traceparent"> {
  readonly requestId: string;
  /** Adds a text to the audit records of the command, under a name such as `ticket`. All of a command together may be 2 KB. */
  annotate(name: string, value: string): void;
}

/** A command that a policy decides about. `input` has the type of its `operation`. */
export type PolicyRequest = {
  readonly [K in OperationName]: {
    readonly principal: Principal;
    readonly operation: K;
    readonly lane: Exclude<Lane, "read">;
    /** Which way the command moves the limits on trading. */
    readonly direction: Direction;
    /** Checked, with defaults filled in: what the engine is going to be sent. */
    readonly input: Readonly<EngineInput<K>>;
    readonly context: PolicyContext;
  };
}[OperationName];

/**
 * Decides about a command: returns undefined to allow it, or the reason for refusing it, which its caller gets with a 403. Asked
 * after the permission and the input have been checked, and never about reads. What it throws, a promise that it rejects, and an
 * decision that does not come in time (0.5 s for a stop, half of `timeoutMs` for a change) are failures: stops go on, changes are
 * refused, and the `failure` listeners are called.
 */
export type Policy = (request: PolicyRequest) => string | undefined | Promise<string | undefined>;
