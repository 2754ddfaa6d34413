import type { CallContext } from "../calls/call.ts";
import type { Direction, Lane } from "../operations/operation.ts";
import type { EngineInput, OperationName } from "../operations/table.ts";
import type { Needed } from "../options.ts";
import type { Principal } from "../principal.ts";

export interface PolicyContext extends Pick<CallContext, "address" | "traceparent"> {
  /** `X-Request-Id` of the command, as in its audit records. */
  readonly requestId: string;
  /** Place of the command in the order in which requests arrived at this API, from 1: others may be decided about before it. */
  readonly arrival: number;
  /** Adds an annotation, such as `ticket`, to the audit records of the command; at most 2 KB per command. */
  annotate(name: string, value: string): void;
  /** Calls the `failure` listeners, for the log: something failed on which the decision does not depend. */
  report(cause: unknown): void;
  /**
   * Reason of the stop that the change takes back, as the engine shows it now: a read, with the caller's identity. Undefined where it shows no
   * stop, for a stop whose reason engines do not show, and for a command that takes none back. Rejects where the engine does not say.
   */
  reasonOfStop(): Promise<string | undefined>;
}

/** A command that a policy decides about. `input` has the type of its `operation`. */
export type PolicyRequest = {
  readonly [K in OperationName]: {
    readonly principal: Principal;
    readonly operation: K;
    readonly lane: Exclude<Lane, "read">;
    /** Whether the command tightens or loosens the limits on trading. */
    readonly direction: Direction;
    /** Validated, with defaults: the input for the engine. */
    readonly input: Readonly<EngineInput<K>>;
    readonly context: PolicyContext;
  };
}[OperationName];

/**
 * Decides about a command: returns undefined to allow it, or the reason for a refusal, which the caller gets with a 403. Called after
 * permission and input have been checked, never for reads. An exception, a rejection or a timeout (0.5 s for a stop, half of
 * `timeoutMs` for a change) is a failure: stops proceed, changes are refused, and the `failure` listeners are called.
 */
export type Policy = (request: PolicyRequest) => string | undefined | Promise<string | undefined>;

const MAKES_POLICIES = Symbol("makes policies");

/** Marks functions that make policies, so that one that is given uncalled is found: as a policy it would fail, and stops pass one that fails. */
export function policyMakers(...makers: readonly object[]): void {
  for (const maker of makers) Object.defineProperty(maker, MAKES_POLICIES, { value: true });
}

/** A policy, and not what makes one. */
export const POLICY: Needed = {
  like: "what a call such as readOnly() returns, or (request) => undefined",
  fits: (value) => typeof value === "function" && !(MAKES_POLICIES in value),
};
