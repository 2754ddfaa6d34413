import type { MAX_REQUESTS_PER_USER } from "../core/records/waiting.ts";

/** A change that a user has requested, and that waits for a second person. */
export interface ApprovalRequest {
  /** Stands for operation and input: hexadecimal SHA-256. */
  readonly command: string;
  /** Name of the user, as the gateway that received the request has it. */
  readonly user: string;
  /** `X-Request-Id` of the user's call. */
  readonly requestId: string;
  /** Epoch milliseconds by the clock of that gateway, for people. */
  readonly at: number;
  /** Reason that the user gave. */
  readonly reason?: string;
  /** Reason of the stop that the change takes back, as the engine showed it then; absent where it showed none. */
  readonly stop?: string;
  /** Name of that gateway, if it has one. */
  readonly gateway?: string;
  /** Set when the user was told that the change had just been sent: this is not a request then. */
  readonly told?: SentChange;
}

/** The user who sent a change that another had requested; of a void request, the user who made it. */
export interface Approver extends Omit<ApprovalRequest, "command" | "reason" | "stop" | "told"> {
  /** Who sent the stop that voided the request; request id, time and gateway are those of the stop then. */
  readonly stoppedBy?: string;
}

/** A change that a user requested was sent. */
export interface SentChange {
  /** Name of the user who had requested it. */
  readonly user: string;
  /** Of that user's request. */
  readonly revision: number;
  /** Who sent it. */
  readonly taker: Approver;
}

/** A request as a store has it. */
export interface StoredApprovalRequest {
  readonly request: ApprovalRequest;
  /** Of two requests, the later one has the higher number. */
  readonly revision: number;
  /** The user who took it; absent while it is pending. */
  readonly taker?: Approver;
}

/**
 * Where requests for changes wait for a second person. Everybody who may be that person has to use the same store. What it cannot do
 * it rejects with an error: then changes are refused as not sent; stops do not depend on it. Names that differ only in case or in their Unicode
 * composition are one user's.
 */
export interface ApprovalStore {
  /**
   * Stores a request in place of an earlier one of the same user for the same command, and resolves to its revision. A user's requests have
   * {@link MAX_REQUESTS_PER_USER} places; beyond them the user's own oldest one goes.
   */
  put(request: ApprovalRequest): Promise<number>;
  /**
   * All requests for a command that have not expired, in the order of their revisions, with everything that was put before this was called.
   * The age of a request must not depend on a clock that can be set.
   */
  list(command: string): Promise<readonly StoredApprovalRequest[]>;
  /** Takes a request: resolves to undefined for one caller, whoever else calls at the same time, and to that one for all others. */
  take(revision: number, taker: Approver): Promise<Approver | undefined>;
  /** The latest request for a command that has expired, while the store remembers it: whoever comes too late is told. */
  expired?(command: string): Promise<StoredApprovalRequest | undefined>;
}
