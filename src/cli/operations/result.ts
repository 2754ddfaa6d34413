import type { AdminClient } from "../../client/client.ts";
import { AdminClientError } from "../../client/errors.ts";
import { type CommandOutcome, EXIT_OF_OUTCOME, outcomeOf } from "../exit-codes.ts";
import { type Format, isForPeople } from "../output/format.ts";
import { printError } from "../terminal/messages.ts";
import { type Command, type CommandResult, describeCommand, failureWords } from "./describe-command.ts";

/** Result of a command; `words` say what happened to it. */
export function commandResult(
  command: Command,
  outcome: CommandOutcome,
  words: string,
  known: Partial<CommandResult> = {},
): CommandResult {
  const { operation, input } = command;
  const message = `${describeCommand(command)}: ${words}`;
  const nothing = { askedAt: null, acceptedAt: null, seenAt: null, state: null };
  return { operation, input, requestId: null, outcome, message, ...nothing, ...known };
}

/** A command that was not tried because the state that it would change could not be read; any other error is thrown again. */
export async function notTried(client: AdminClient, command: Command, error: unknown): Promise<CommandResult> {
  if (!(error instanceof AdminClientError)) throw error;
  const { meantName } = await import("./names.ts");
  const { requestId, reason } = error;
  const found = outcomeOf(error);
  const outcome = found === "denied" || found === "rejected" ? found : "not-sent";
  const words =
    outcome === "not-sent"
      ? `not sent: the state now cannot be read: ${reason}`
      : `nothing was sent, the state now cannot be read: ${failureWords(error.operation, error)}`;
  const hint = await meantName(client, command.input, error);
  return commandResult(command, outcome, `${words}${hint}`, { requestId });
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
