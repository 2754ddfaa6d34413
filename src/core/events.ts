import type { CallReport } from "./calls/call.ts";
import type { AdminError } from "./errors.ts";
import type { OperationName } from "./operations/table.ts";
import type { AuthenticationMethod } from "./principal.ts";
import type { AuditRecord, LoginStage } from "./records/record.ts";
import { throwUncaught } from "./values/basics.ts";

/** A request whose credentials were not accepted. A request without credentials is none. */
export interface FailedLogin {
  readonly stage: LoginStage;
  /** The name that was tried, as the caller wrote it; null where there is none, as in a token. */
  readonly user: string | null;
  readonly authentication: AuthenticationMethod;
  /** Network address of the caller, or null where it is not known. */
  readonly address: string | null;
  readonly requestId: string;
}

/** What `AdminApi.on` can report. */
export interface AdminEvents {
  /** A call has ended. */
  call: CallReport;
  /**
   * A request failed in this package or the engine; `error.cause` says why. For the log, never for the caller.
   * `operation` is null when it failed before its operation was known.
   */
  failure: { readonly operation: OperationName | null; readonly requestId: string; readonly error: AdminError };
  /** The engine replied to a mutation after its caller had the response that the outcome is unknown. */
  lateReply: AuditRecord;
  /** A request's credentials were not accepted; there may be thousands in a second. */
  loginFailed: FailedLogin;
  /**
   * An audit record could not be kept, or was not kept in time. In the second case it is `pending`, and `lateRecord` says later
   * what became of it.
   */
  auditFailure: { readonly record: AuditRecord; readonly error: unknown; readonly pending: boolean };
  /** A record that had been pending was kept after all; or it is lost, and `error` says why. */
  lateRecord: { readonly record: AuditRecord; readonly error?: unknown };
}

type Listener<E extends keyof AdminEvents> = (event: AdminEvents[E]) => void;

/** Listeners by event. A listener that throws does not disturb the call: its error is rethrown on its own. */
export class Listeners {
  readonly #byEvent: { [E in keyof AdminEvents]: Set<Listener<E>> } = {
    call: new Set(),
    failure: new Set(),
    lateReply: new Set(),
    loginFailed: new Set(),
    auditFailure: new Set(),
    lateRecord: new Set(),
  };

  /** Adds a listener; the returned function removes it. */
  on<E extends keyof AdminEvents>(event: E, listener: Listener<E>): () => void {
    const listeners: Set<Listener<E>> = this.#byEvent[event];
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }

  has(event: keyof AdminEvents): boolean {
    return this.#byEvent[event].size > 0;
  }

  emit<E extends keyof AdminEvents>(event: E, value: AdminEvents[E]): void {
    for (const listener of this.#byEvent[event]) {
      try {
        listener(value);
      } catch (error) {
        throwUncaught(error);
      }
    }
  }
}
