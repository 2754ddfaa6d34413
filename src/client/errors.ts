import type { MutationOutcome } from "../core/errors.ts";
import type { CallName } from "../core/operations/table.ts";

/** Facts about a failed operation. */
export interface FailureDetails {
  /** Name of the operation, such as `haltTrading`. */
  readonly operation: CallName;
  /** `X-Request-Id` of the call. */
  readonly requestId: string;
  /** Reason of the failure: the API's own message where it gave one. */
  readonly reason: string;
  /** HTTP status; undefined without a response. */
  readonly status?: number | undefined;
  /** Seconds of `Retry-After`. */
  readonly retryAfter?: number | undefined;
  /** What `fetch` threw, if it did. */
  readonly cause?: unknown;
}

/**
 * What every operation of the client rejects with; distinguish cases by the class, or by `outcome`.
 * The `message` is for people, and says all that the fields say.
 */
export abstract class AdminClientError extends Error {
  /** Name of the operation, such as `haltTrading`. */
  readonly operation: CallName;
  /** The `X-Request-Id` under which log and audit of the server have the request; known also when no response came. */
  readonly requestId: string;
  /** HTTP status of the response; undefined when there was none. */
  readonly status: number | undefined;
  /** Reason of the failure: the API's message unchanged, such as the engine's reason; else the client's own. */
  readonly reason: string;
  /** Seconds to wait before another try, where the response said so (`Retry-After`). */
  readonly retryAfter: number | undefined;
  /** Outcome of a mutation; undefined for a read. */
  abstract readonly outcome: MutationOutcome | undefined;

  constructor(became: string, { operation, requestId, reason, status, retryAfter, cause }: FailureDetails) {
    const facts = [status === undefined ? "no response" : `status ${status}`, `request id ${requestId}`];
    super(`${operation} ${became}: ${reason} (${facts.join(", ")})`, cause === undefined ? undefined : { cause });
    this.operation = operation;
    this.requestId = requestId;
    this.status = status;
    this.reason = reason;
    this.retryAfter = retryAfter;
  }
}

/**
 * A mutation that the engine accepted, although its response is not a success: its outcome could not be recorded, or its output was not
 * understood on the way. Do not repeat it.
 */
export class AppliedError extends AdminClientError {
  override readonly name = "AppliedError";
  readonly outcome = "applied";

  constructor(details: FailureDetails) {
    super("was applied, but something failed", details);
  }
}

/** A mutation that certainly changed nothing: it was refused, or never sent. */
export class NotAppliedError extends AdminClientError {
  override readonly name = "NotAppliedError";
  readonly outcome = "not-applied";

  constructor(details: FailureDetails) {
    super("was not applied", details);
  }
}

/**
 * A mutation that was perhaps applied, and perhaps still will be: no response, or none that states the outcome.
 * Read the state before any retry (specification, convention 7); the `confirm...` functions do.
 */
export class OutcomeUnknownError extends AdminClientError {
  override readonly name = "OutcomeUnknownError";
  readonly outcome = "unknown";

  constructor(details: FailureDetails) {
    super("may have been applied", details);
  }
}

/** 401 or 403: the credentials were refused, or the user lacks the permission. A mutation was not applied. */
export class DeniedError extends AdminClientError {
  override readonly name = "DeniedError";
  /** `not-applied`; undefined for a read. */
  readonly outcome: "not-applied" | undefined;

  constructor(details: FailureDetails, outcome: "not-applied" | undefined) {
    super("was denied", details);
    this.outcome = outcome;
  }
}

/** A read that gave nothing; it can be repeated. */
export class ReadFailedError extends AdminClientError {
  override readonly name = "ReadFailedError";
  readonly outcome = undefined;

  constructor(details: FailureDetails) {
    super("failed", details);
  }
}
