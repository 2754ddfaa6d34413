import type { AdminClientError } from "../../client/errors.ts";
import type { OperationName } from "../../core/operations/table.ts";
import { type CommandOutcome, EXIT_OF_OUTCOME, outcomeOf } from "../exit-codes.ts";
import { type Format, isForPeople } from "../output/format.ts";
import { printError } from "../terminal/messages.ts";
import { type CommandResult, describeCommand, failureWords } from "./describe-command.ts";
import type { OperationInput } from "./input.ts";

/** Result of a command; `words` say what happened to it. */
export function commandResult(
  operation: OperationName,
  input: OperationInput,
  outcome: CommandOutcome,
  words: string,
  known: Partial<CommandResult> = {},
): CommandResult {
  const message = `${describeCommand(operation, input)}: ${words}`;
  const nothing = { askedAt: null, acceptedAt: null, seenAt: null, state: null };
  return { operation, input, requestId: null, outcome, message, ...nothing, ...known };
}

/** A command that was not tried because the state that it would change could not be read. */
export function notTried(
  operation: OperationName,
  input: OperationInput,
  error: AdminClientError,
  hint: string,
): CommandResult {
  const { requestId, reason } = error;
  const found = outcomeOf(error);
  const outcome = found === "denied" || found === "rejected" ? found : "not-sent";
  const words =
    outcome === "not-sent"
      ? `not sent: the state now cannot be read: ${reason}`
      : `nothing was sent, the state now cannot be read: ${failureWords(error.operation, error)}`;
  return commandResult(operation, input, outcome, `${words}${hint}`, { requestId });
}

/** Prints what happened to a command and returns its exit code. Failures are printed on standard error. */
export async function printResult(result: CommandResult, format: Format): Promise<number> {
  const { outcome, message } = result;
  if (outcome !== "done") printError(message);
  // People have read the line above: a table of times that are not there would add nothing.
  const isShown = !isForPeople(format) || outcome === "done" || outcome === "not-proven";
  if (isShown) await (await import("./views.ts")).printFields(result, format);
  return EXIT_OF_OUTCOME[outcome];
}
