import type { AdminClientError } from "../../client/errors.ts";
import type { OperationName } from "../../core/operations.ts";
import { type CommandOutcome, EXIT_OF_OUTCOME, outcomeOf } from "../exit-codes.ts";
import type { Row } from "../output/columns.ts";
import type { Format } from "../output/format.ts";
import { complain } from "../terminal/say.ts";
import { deedOf } from "./deed.ts";
import { OPERATION_FACTS } from "./facts.ts";
import type { OperationInput } from "./input.ts";

/** What became of a command; `--output json` prints it as it is. Times are ISO 8601 in UTC, null where there is none. */
export interface CommandResult {
  readonly operation: OperationName;
  readonly input: OperationInput;
  readonly requestId: string | null;
  readonly outcome: CommandOutcome;
  /** For people: what was asked for, and what happened to it. */
  readonly message: string;
  readonly askedAt: string | null;
  readonly acceptedAt: string | null;
  /** When the engine was seen to show it. */
  readonly seenAt: string | null;
  /** What was read at the end. */
  readonly state: unknown;
}

/** What a command that was not accepted says. */
export function refusedResult(
  operation: OperationName,
  input: OperationInput,
  error: AdminClientError,
  askedAt: number,
): CommandResult {
  const outcome = outcomeOf(error);
  return {
    operation,
    input,
    requestId: error.requestId,
    // A command has no failure of another kind: the client says whether it was applied, or that nobody knows.
    outcome: outcome === "failed" ? "unknown" : outcome,
    message: `${deedOf(operation, input)}: ${wordsOf(operation, error)}`,
    askedAt: isoTime(askedAt),
    acceptedAt: null,
    seenAt: null,
    state: null,
  };
}

/** A command that was not even tried. */
export function unsentResult(
  operation: OperationName,
  input: OperationInput,
  why: string,
  state: unknown,
): CommandResult {
  const message = `${deedOf(operation, input)}: not sent: ${why}`;
  const times = { requestId: null, askedAt: null, acceptedAt: null, seenAt: null };
  return { operation, input, outcome: "not-sent", message, ...times, state };
}

/** What happened to a command, in words that do not leave a doubt. */
function wordsOf(operation: OperationName, error: AdminClientError): string {
  const { reason, status, retryAfter } = error;
  const answer = status === undefined ? reason : `${reason} (status ${status})`;
  switch (outcomeOf(error)) {
    case "denied":
      return `denied, nothing was sent to the engine: ${answer}`;
    case "rejected":
      return `refused by ${refuserOf(operation, error)}, nothing was changed: ${answer}`;
    case "not-sent":
      return `not sent: ${answer}${retryAfter === undefined ? "" : `; try again in ${retryAfter} s`}`;
    default:
      return `may have been applied: read the state before you repeat it: ${answer}`;
  }
}

/** The API's own checks name a field of the input; what else is a 400 or a 404 comes from the engine. */
function refuserOf(operation: OperationName, { status, reason }: AdminClientError): string {
  const fields = OPERATION_FACTS[operation].input.map(({ name }) => name);
  const isChecked = new RegExp(`^(${fields.join("|")})\\b`).test(reason) || (status !== 400 && status !== 404);
  return isChecked ? "the API" : "the engine";
}

/** ISO 8601 in UTC, with milliseconds. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/** Prints what became of a command and returns its exit code. What did not succeed is said on standard error as well. */
export async function printResult(result: CommandResult, format: Format): Promise<number> {
  const isDone = result.outcome === "done";
  if (!isDone) complain(result.message);
  // People read the line above; a half-filled table of times would add nothing to it.
  if (isDone || result.outcome === "not-proven" || format === "json" || format === "yaml" || format === "csv") {
    const { printRecord } = await import("../output/print.ts");
    await printRecord({ value: result, record: format === "csv" ? csvOf(result) : recordOf(result) }, format);
  }
  return EXIT_OF_OUTCOME[result.outcome];
}

function csvOf({ input, state, ...others }: CommandResult): Row {
  return { ...others, input: JSON.stringify(input), state: JSON.stringify(state) };
}

function recordOf({ outcome, message, askedAt, acceptedAt, seenAt, requestId, state }: CommandResult): Row {
  const times = { asked: askedAt, accepted: acceptedAt, seen: seenAt, "request id": requestId };
  return { ...(outcome === "done" ? { done: message } : { outcome }), ...times, ...stateFields(state) };
}

function stateFields(state: unknown): Row {
  return typeof state === "object" && state !== null && !Array.isArray(state) ? { ...state } : {};
}
