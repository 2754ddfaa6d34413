import { AdminClientError, DeniedError } from "../client/errors.ts";
import { isCertainlyUnsent } from "../client/network-failure.ts";
import { TokenRequestError } from "../client/token-request.ts";
import { FaultsError } from "../core/values/basics.ts";

/** Exit codes of the command line; scripts rely on them. */
export const EXIT = {
  done: 0,
  /** Anything that has no other code. */
  failed: 1,
  /** The command line itself, or a file that it names, is wrong; nothing was sent. */
  usage: 2,
  /** A command may have been applied: the state has to be read before it is repeated. */
  unknown: 3,
  /** 401 or 403. */
  denied: 4,
  /** Refused by the API or the engine, or not found. */
  rejected: 5,
  /** 429, 503, another status with which the API says so, no connection, or not confirmed: nothing was sent. */
  notSent: 6,
  /** Accepted, but the engine did not show the state in time; or a 200 that says no more, and nothing was read. */
  notProven: 7,
  /** A drill could not resume what it halted, or nobody knows; it said so last. */
  leftHalted: 8,
} as const;

/**
 * What happened to a command, as `--output json` prints it: applied and seen is `done`, applied and not seen `not-proven`; `rejected`, `denied`
 * and `not-sent` say who did not apply it.
 */
export type CommandOutcome = "done" | "rejected" | "denied" | "not-sent" | "unknown" | "not-proven";

export const EXIT_OF_OUTCOME: Readonly<Record<CommandOutcome, number>> = {
  done: EXIT.done,
  rejected: EXIT.rejected,
  denied: EXIT.denied,
  "not-sent": EXIT.notSent,
  unknown: EXIT.unknown,
  "not-proven": EXIT.notProven,
};

/** Outcomes from the worst: what nobody knows for certain, what was not done, what was done. */
const FROM_WORST = [
  "unknown",
  "not-proven",
  "not-sent",
  "denied",
  "rejected",
  "done",
] as const satisfies CommandOutcome[];

/** The worst of some outcomes, which decides about the exit code of several commands; `done` of none. */
export function worstOf(outcomes: readonly CommandOutcome[]): CommandOutcome {
  return FROM_WORST.find((outcome) => outcomes.includes(outcome)) ?? "done";
}

/** The command line is not valid; the message says what to type instead. */
export class UsageError extends FaultsError {
  override readonly name = "UsageError";
}

/** The person said no, or could not be asked. */
export class NotConfirmedByUser extends Error {
  override readonly name = "NotConfirmedByUser";
}

/** Statuses with which a request got no further than the gateway, which may take it later (specification, "Errors"). */
const NOT_SENT_STATUSES: ReadonlySet<number> = new Set([408, 412, 429, 503]);

/** Outcome of a failed command or read. `failed` is a read that the API could not serve. */
export function outcomeOf(error: AdminClientError): CommandOutcome | "failed" {
  const { status } = error;
  if (error instanceof DeniedError) return "denied";
  if (error.outcome === "unknown") return "unknown";
  if (error.outcome === "applied") return "done";
  if (status === undefined) return error.outcome === "not-applied" || isUnsent(error.cause) ? "not-sent" : "failed";
  if (NOT_SENT_STATUSES.has(status)) return "not-sent";
  if (status >= 400 && status < 500) return "rejected";
  // The API says of a command that it failed before it was sent (decision D-ENG 16); of a read it says nothing.
  return error.outcome === "not-applied" ? "not-sent" : "failed";
}

/** Whether a read did not reach the gateway, also because there was no token. */
function isUnsent(cause: unknown): boolean {
  return isCertainlyUnsent(cause) || cause instanceof TokenRequestError;
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage;
  if (error instanceof NotConfirmedByUser) return EXIT.notSent;
  if (!(error instanceof AdminClientError)) return EXIT.failed;
  const outcome = outcomeOf(error);
  return outcome === "failed" ? EXIT.failed : EXIT_OF_OUTCOME[outcome];
}

/** Exit code of a check whose read failed: 1 is what it has for what it found, so a question without an answer is 3. */
export function exitCodeOfCheck(error: AdminClientError): number {
  const code = exitCodeOf(error);
  return code === EXIT.failed ? EXIT.unknown : code;
}
