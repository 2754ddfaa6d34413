/** A change that a user asks for, and that waits for a second one. */
export interface ApprovalRequest {
  /** Stands for operation and input: hexadecimal SHA-256. */
  readonly command: string;
  /** Name of the user, as the gateway that was asked has it. */
  readonly user: string;
  readonly requestId: string;
  /** Epoch milliseconds by the clock of that gateway, for people. */
  readonly at: number;
  readonly reason?: string;
  /** Name of that gateway, if it has one. */
  readonly gateway?: string;
  /** What the user was told in place of asking. */
  readonly told?: SentChange;
}

/** Who sent a change that somebody else had asked for. */
export type Approver = Omit<ApprovalRequest, "command" | "reason" | "told">;

/** That a change was sent which a user had asked for. */
export interface SentChange {
  readonly user: string;
  /** Of that user's ask. */
  readonly revision: number;
  readonly taker: Approver;
}

/** An ask as a store has it. */
export interface StoredApprovalRequest {
  readonly ask: ApprovalRequest;
  /** Of two asks, the later one has the higher number. */
  readonly revision: number;
  /** Who took it, as soon as somebody has. */
  readonly taker?: Approver;
}

/**
 * Where asks for changes wait for a second person. Everybody who may be that person has to have the same store. What it cannot do
 * it rejects with an error: then changes are refused as not sent, and stops do not ask. Names that differ only in case or in their Unicode
 * composition are one user's.
 */
export interface ApprovalStore {
  /**
   * Keeps an ask in place of an earlier one of the same user for the same command, and resolves to its revision. A user's asks have
   * {@link MAX_REQUESTS_PER_USER} places; beyond them the user's own oldest one goes.
   */
  put(ask: ApprovalRequest): Promise<number>;
  /**
   * All asks for a command that are young enough, in the order of their revisions, with everything that was put before this was called.
   * How old an ask is must not depend on a clock that can be set.
   */
  list(command: string): Promise<readonly StoredApprovalRequest[]>;
  /** Takes an ask: resolves to undefined for one caller, whoever else calls at the same time, and to that one for all others. */
  take(revision: number, taker: Approver): Promise<Approver | undefined>;
}

/** Requests for approval of one user that may wait. */
export const MAX_REQUESTS_PER_USER = 100;
