import type { CallReport } from "./calls/call.ts";
import { AdminError } from "./errors.ts";
import { hostCalls } from "./host-calls.ts";
import type { CallName } from "./operations/table.ts";
import { functionLike, oneOf, requireArgument } from "./options.ts";
import type { AuthenticationMethod } from "./principal.ts";
import type { AuditRecord, LoginStage } from "./records/record.ts";

/** A request with rejected credentials; one without credentials does not count. */
export interface FailedLogin {
  /** `login-refused`: 401, wrong credentials; `login-throttled`: 429, they were not checked. */
  readonly stage: LoginStage;
  /** The attempted user name, as written by the caller; null if there is none, as with tokens. */
  readonly user: string | null;
  /** How they were presented: `basic` or `bearer`. */
  readonly authentication: AuthenticationMethod;
  /** Network address of the caller; null if unknown. */
  readonly address: string | null;
  /** `X-Request-Id` of the response. */
  readonly requestId: string;
}

/** Events of `AdminApi.on`. */
export interface AdminEvents {
  /** A call has ended. */
  call: CallReport;
  /**
   * A request failed in this package or the engine; `error.cause` has the reason. For the log, never for the caller.
   * `operation` is null if it failed before its operation was known.
   */
  failure: { readonly operation: CallName | null; readonly requestId: string; readonly error: AdminError };
  /**
   * A reply of the engine is shown without the values in it that break the contract: `count` fields and rows, of which
   * `message` names the first few, in printable ASCII characters.
   */
  invalidReply: {
    readonly operation: CallName;
    readonly requestId: string;
    readonly count: number;
    readonly message: string;
  };
  /** The engine replied to a mutation after its caller was told that the outcome is unknown. */
  lateReply: AuditRecord;
  /**
   * Two replies to one request contradict each other: the engine, or somebody in its place, did not tell the truth. For a mutation with its
   * `contradicted` record, for a read without.
   */
  contradiction: {
    readonly operation: CallName;
    readonly requestId: string;
    readonly user: string;
    readonly message: string;
    readonly record?: AuditRecord;
  };
  /** The engine no longer shows a stop that was applied and that nobody took back here: its `state-lost` record. */
  stateLost: AuditRecord;
  /** The engine shows a stop whose outcome was unknown, or one that was lost: its `state-shown` record. */
  stateShown: AuditRecord;
  /**
   * Intents without an outcome were found, of this gateway at its start or of one that is gone: those, and the `cut-off` record about them.
   * Hundreds make several records.
   */
  cutOff: { readonly record: AuditRecord; readonly intents: readonly AuditRecord[] };
  /** A request's credentials were rejected; this may happen thousands of times per second. */
  loginFailed: FailedLogin;
  /**
   * An audit record could not be kept, or not in time. In the second case it is `pending`, and `lateRecord` follows with the result.
   */
  auditFailure: { readonly record: AuditRecord; readonly error: unknown; readonly pending: boolean };
  /** A pending record was finally kept, or is lost for the reason in `error`. */
  lateRecord: { readonly record: AuditRecord; readonly error?: unknown };
}

type Listener<E extends keyof AdminEvents> = (event: AdminEvents[E]) => void;

type ByEvent = { readonly [E in keyof AdminEvents]: Set<Listener<E>> };

function nobody(): ByEvent {
  return {
    call: new Set(),
    failure: new Set(),
    invalidReply: new Set(),
    lateReply: new Set(),
    contradiction: new Set(),
    stateLost: new Set(),
    stateShown: new Set(),
    cutOff: new Set(),
    loginFailed: new Set(),
    auditFailure: new Set(),
    lateRecord: new Set(),
  };
}

const EVENT = oneOf(nobody());
const LISTENER = functionLike("({ error }) => console.error(error)");

/** Listeners by event. An exception of a listener affects nothing: it becomes a warning of the process. */
export class Listeners {
  /** Calls what else of the host is told something. */
  readonly call = hostCalls();
  readonly #byEvent = nobody();
  /** Called for events that have no other listener. */
  readonly #unlessHeard = nobody();

  /** Adds a listener; the returned function removes it. */
  readonly on = <E extends keyof AdminEvents>(event: E, listener: Listener<E>): (() => void) => {
    requireArgument("AdminApi.on", "event", event, EVENT);
    requireArgument("AdminApi.on", "listener", listener, LISTENER);
    return added(this.#byEvent[event], listener);
  };

  /** Adds a listener that is called while the event has no other; the returned function removes it. */
  readonly unlessHeard: Listeners["on"] = (event, listener) => added(this.#unlessHeard[event], listener);

  has(event: keyof AdminEvents): boolean {
    return this.#byEvent[event].size > 0;
  }

  /** Reports what has failed outside of all requests. */
  fail(message: string, cause: unknown): void {
    this.emit("failure", { operation: null, requestId: "", error: new AdminError("INTERNAL", message, { cause }) });
  }

  emit<E extends keyof AdminEvents>(event: E, value: AdminEvents[E]): void {
    const listeners: ReadonlySet<Listener<E>> = this.has(event) ? this.#byEvent[event] : this.#unlessHeard[event];
    for (const listener of listeners) {
      this.call(`A listener to "${event}"`, () => listener(value));
    }
  }
}

function added<E extends keyof AdminEvents>(listeners: Set<Listener<E>>, listener: Listener<E>): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
