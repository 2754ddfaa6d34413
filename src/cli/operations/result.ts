import type { OperationName } from "../../core/operations/table.ts";
import { type CommandOutcome, EXIT_OF_OUTCOME } from "../exit-codes.ts";
import { type Format, isForPeople } from "../output/format.ts";
import { complain } from "../terminal/say.ts";
import { type CommandResult, deedOf } from "./deed.ts";
import type { OperationInput } from "./input.ts";

/** What became of a command: `words` of it, behind those of what it does, and what else is known. */
export function commandResult(
  operation: OperationName,
  input: OperationInput,
  outcome: CommandOutcome,
  words: string,
  known: Partial<CommandResult> = {},
): CommandResult {
  const message = `${deedOf(operation, input)}: ${words}`;
  const nothing = { askedAt: null, acceptedAt: null, seenAt: null, state: null };
  return { operation, input, requestId: null, outcome, message, ...nothing, ...known };
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
  const isShown = !isForPeople(format) || outcome === "done" || outcome === "not-proven";
  if (isShown) await (await import("./views.ts")).printFields(result, format);
  return EXIT_OF_OUTCOME[outcome];
}
