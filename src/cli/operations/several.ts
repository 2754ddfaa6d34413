import type { OperationName, Output } from "../../core/operations/table.ts";
import { approvalWords } from "../../core/records/second-person.ts";
import { shellWord } from "../../core/values/basics.ts";
import type { Connection } from "../connection/connect.ts";
import { EXIT_OF_OUTCOME, UsageError, worstOf } from "../exit-codes.ts";
import type { Invocation } from "../framework/definition.ts";
import { type Column, counted, type Row, tally } from "../output/columns.ts";
import { type Format, formatOf, isForPeople } from "../output/format.ts";
import { printRows } from "../output/print.ts";
import { printError, printInfo } from "../terminal/messages.ts";
import { type CommandResult, shownOutcome } from "./describe-command.ts";
import { OPERATION_FACTS } from "./facts.ts";
import { commandLine, type OperationInput } from "./input.ts";
import { notTried, printResult } from "./result.ts";
import { flat } from "./views.ts";

type Session = Output<"listFixSessions">[number];

/** A stop of all sessions of a gateway. */
interface StopOfAll {
  readonly inputs: readonly OperationInput[];
  /** The command that takes it back; undefined where there is none. */
  readonly back?: string | undefined;
}

/** What to send to stop all sessions of a gateway; a number is the exit code where nothing is to be sent. */
export async function inputsOfAll(
  { client }: Connection,
  operation: OperationName,
  { arguments: { gateway }, options }: Invocation,
): Promise<StopOfAll | number> {
  if (!gateway) throw new UsageError("missing: <gateway>; --all is all sessions of one; nothing was sent");
  if (options.curl === true) throw new UsageError("--curl reads nothing, so it cannot list all sessions; name them");
  const input = { gateway: String(gateway) };
  const isDisable = operation === "disableFixSession";
  try {
    const sessions = await client.listFixSessions(input);
    const names = sessions.filter(isDisable ? isEnabled : isConnected).map(({ sessionId }) => sessionId);
    if (isDisable) sayDisabled(sessions.length - names.length);
    if (names.length === 0) {
      printInfo(`gateway ${input.gateway} has no session to ${isDisable ? "disable" : "disconnect"}`);
      return await printResults([], formatOf(options));
    }
    const inputs = names.map((session) => ({ ...input, session }));
    return { inputs, back: isDisable ? wayBack(input.gateway, names) : undefined };
  } catch (error) {
    const command = { operation, input: { ...input, session: "(all)" } };
    return printResult(await notTried(client, command, error), formatOf(options));
  }
}

function isConnected({ status }: Session): boolean {
  return status === "Connected";
}

/** One that is disabled already stays the stop of whoever disabled it. */
function isEnabled({ status }: Session): boolean {
  return status !== "Disabled";
}

function sayDisabled(count: number): void {
  if (count > 0) printInfo(`${counted(count, "session")} disabled already, for which nothing is sent`);
}

function wayBack(gateway: string, names: readonly string[]): string {
  return commandLine("trading-admin fix enable", [gateway, ...names].map(shellWord));
}

/** Failures that are printed one by one; the table has them all. */
const MAX_SHOWN = 12;

/** Prints the results of several commands, a row for each, and returns the exit code of the worst (decision D-CLI 16). */
export async function printResults(results: readonly CommandResult[], format: Format): Promise<number> {
  const failed = results.filter(({ outcome }) => outcome !== "done");
  for (const { message } of failed.slice(0, MAX_SHOWN)) printError(message);
  const outcomes = results.map(({ outcome }) => outcome);
  if (failed.length > 0) printError(`${tally(results.map(countedOutcome))}: ${counted(results.length, "request")}`);
  const rows = isForPeople(format) ? results.map(rowOf) : results.map(flat);
  if (results.length > 0 || !isForPeople(format)) {
    await printRows({ value: results, rows, columns: columnsOf(rows) }, format);
  }
  return EXIT_OF_OUTCOME[worstOf(outcomes)];
}

function countedOutcome(result: CommandResult): string {
  const shown = shownOutcome(result);
  return shown === "waits" ? "waiting" : shown;
}

const SHOWN = ["status", "enabled"];

function rowOf(result: CommandResult): Row {
  const { operation, input, approves, seenAt, state } = result;
  const named = OPERATION_FACTS[operation].target.map((field) => [field, input[field]]);
  const shown = Object.entries((state ?? {}) as Row).filter(([field]) => SHOWN.includes(field));
  const approved = approves && { approves: approvalWords(approves) };
  return {
    ...Object.fromEntries(named),
    outcome: shownOutcome(result),
    ...approved,
    ...Object.fromEntries(shown),
    confirmed: seenAt,
  };
}

/** In the order of the rows; when it was confirmed comes last, also where only some have a state. */
function columnsOf(rows: readonly Row[]): Column[] {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  const last = names.delete("confirmed") ? ["confirmed"] : [];
  return [...names, ...last].map((name) => ({ name, kind: "text" }));
}
