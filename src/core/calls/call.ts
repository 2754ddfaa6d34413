import { type Clock, monotonicMs } from "../clock.ts";
import type { Outcome } from "../errors.ts";
import type { Direction, Lane, Operation } from "../operations/operation.ts";
import type { CallName, Input, OperationName, Output } from "../operations/table.ts";
import type { Principal } from "../principal.ts";
import type { ApprovedRequest, AuditRecord } from "../records/record.ts";
import type { InvalidFields } from "../validation/invalid-fields.ts";
import type { ValidInput } from "../validation/validation.ts";
import type { CallDocs } from "./call-docs.ts";

/** The arrival of a request; see `AdminApi.arrive`. */
export interface RequestArrival {
  /** Place in the order of arrival, among the requests of one API. */
  readonly place: number;
  /** Monotonic milliseconds. */
  readonly at: number;
}

/** Metadata of a call, from the edge; all optional. */
export interface CallContext {
  /** When the request arrived; the moment of the call if absent. */
  readonly arrival?: RequestArrival | undefined;
  /** Joins log, audit and engine records of one request; generated when absent. */
  readonly requestId?: string | undefined;
  /** Network address of the caller. */
  readonly address?: string | undefined;
  /** W3C Trace Context header; passed on to the engine. */
  readonly traceparent?: string | undefined;
  /** Whether the caller has disconnected. A large read is then not sent; commands are. */
  readonly isDisconnected?: (() => boolean) | undefined;
  /**
   * Of a change whose operation can be conditional (`ifMatch` in its record): whether the caller accepts the state, by its entity tag, as it is
   * right before the change is sent. Other changes are refused with it, stops and reads have no use for it.
   */
  readonly ifMatch?: ((entityTag: string) => boolean) | undefined;
  /** Called when a part of the request has no effect, such as `cancelOrders` for a node, or a part of the reply cannot be shown. */
  readonly onWarning?: ((message: string) => void) | undefined;
  /** Called before a change is sent that approves the request of another user (`twoPerson`), with that request. */
  readonly onApproval?: ((request: ApprovedRequest) => void) | undefined;
}

/** Lazy source of the input; read once the caller's permission has been checked. */
export interface InputSource {
  /** Fields available before the rest is read, such as those in a path. */
  readonly known: Readonly<Record<string, unknown>>;
  /** All fields as one flat object, or a {@link ValidInput} of the same operation; may be a promise. */
  read(): unknown;
}

/** Findings of the host's policy, for the audit records. */
interface PolicyFindings {
  readonly direction: Direction;
  readonly annotations: Readonly<Record<string, string>>;
  /** State that the change replaces, where the direction depends on it. */
  readonly before?: AuditRecord["before"];
}

/** One call on its way through the API. */
export interface Call<N extends CallName = OperationName> {
  /** Joins the audit records of this call. */
  readonly id: string;
  readonly name: N;
  readonly operation: Operation;
  readonly principal: Principal;
  readonly requestId: string;
  readonly context: CallContext;
  readonly arrival: RequestArrival;
  /** Set when the host's policy, if any, is asked. */
  policy?: PolicyFindings;
  /** Epoch milliseconds by the engine's clock, of its reply; set when that came and told it. */
  engineTime?: number | undefined;
  /** Parts of the engine's reply that break the contract, as far as it was checked. */
  invalid?: InvalidFields;
}

/** A finished call, for logs and metrics. */
export interface CallReport {
  /** Name of the operation, such as `haltTrading`. */
  readonly operation: CallName;
  /** `stop`, `change` or `read`. */
  readonly lane: Lane;
  /** Name of the caller, as in the audit records. */
  readonly user: string;
  /** `X-Request-Id` of the response; joins log, audit records and engine. */
  readonly requestId: string;
  /** HTTP status of the response, also for calls without HTTP. */
  readonly status: number;
  /** `applied` for a read that succeeded, too; the outcome of the error otherwise. */
  readonly outcome: Outcome;
  /** Milliseconds from the arrival of the request, with fractions. */
  readonly durationMs: number;
}

export function reportOf(call: Call<CallName>, clock: Clock, status: number, outcome: Outcome): CallReport {
  return {
    operation: call.name,
    lane: call.operation.lane,
    user: call.principal.name,
    requestId: call.requestId,
    status,
    outcome,
    durationMs: monotonicMs(clock) - call.arrival.at,
  };
}

/** The API as typed methods, one per operation; see `AdminApi.as`. */
export type Calls = {
  readonly [K in keyof CallDocs]: (
    ...input: Record<string, never> extends Input<K> ? [input?: Input<K>] : [input: Input<K>]
  ) => Promise<Output<K>>;
};
