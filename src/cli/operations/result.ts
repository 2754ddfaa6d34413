import type { AdminClientError } from "../../client/errors.ts";
import type { OperationName } from "../../core/operations/table.ts";
import { EXIT_OF_OUTCOME, outcomeOf } from "../exit-codes.ts";
import type { Format } from "../output/format.ts";
import { complain } from "../terminal/say.ts";
import { type CommandResult, deedOf, failureWords } from "./deed.ts";
import type { OperationInput } from "./input.ts";

/** What a command that was not accepted says. */
export function refusedResult(
  operation: OperationName,
  input: OperationInput,
  error: AdminClientError,
  askedAt: number,
): CommandResult {
  const found = outcomeOf(error);
  // A command has no failure of another kind: the client says whether it was applied, or that this is unknown.
  const outcome = found === "failed" ? "unknown" : found;
  return {
    ...unsentResult(operation, input, failureWords(operation, error), error, outcome),
    askedAt: isoTime(askedAt),
  };
}

/** A command that was not even tried. */
export function unsentResult(
  operation: OperationName,
  input: OperationInput,
  why: string,
  { requestId }: Pick<CommandResult, "requestId"> = { requestId: null },
  outcome: CommandResult["outcome"] = "not-sent",
): CommandResult {
  const message = `${deedOf(operation, input)}: ${why}`;
  return { operation, input, requestId, outcome, message, askedAt: null, acceptedAt: null, seenAt: null, state: null };
}

/** A command that was not tried because the state that it would change could not be read. */
export function unreadResult(
  operation: OperationName,
  input: OperationInput,
  error: AdminClientError,
  hint: string,
): CommandResult {
  const found = outcomeOf(error);
  const outcome = found === "denied" || found === "rejected" ? found : "not-sent";
  const words =
    outcome === "not-sent"
      ? `not sent: the state now cannot be read: ${error.reason}`
      : `nothing was sent, the state now cannot be read: ${failureWords(error.operation, error)}`;
  return unsentResult(operation, input, `${words}${hint}`, error, outcome);
}

/** ISO 8601 in UTC, with milliseconds. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/** Prints what became of a command and returns its exit code. What did not succeed is said on standard error. */
export async function printResult(result: CommandResult, format: Format): Promise<number> {
  const { outcome, message } = result;
  if (outcome !== "done") complain(message);
  // People have read the line above: a table of times that are not there would add nothing.
  const isForPeople = format === "table" || format === "wide";
  const isShown = !isForPeople || outcome === "done" || outcome === "not-proven";
  if (isShown) await (await import("./print-result.ts")).printFields(result, format);
  return EXIT_OF_OUTCOME[outcome];
}
