import { inParallel } from "../../core/load/concurrency.ts";
import type { OperationName } from "../../core/operations/table.ts";
import { type Connection, connect } from "../connection/connect.ts";
import { waitOf } from "../duration.ts";
import { NotConfirmedByUser } from "../exit-codes.ts";
import type { Invocation, Options, Run } from "../framework/definition.ts";
import { formatOf } from "../output/format.ts";
import { adviseAfterChange, adviseSecondPerson } from "./advice.ts";
import { askToConfirm, confirmChange, isAsked, showLines } from "./confirm-change.ts";
import { type Command, type CommandResult, describeCommand } from "./describe-command.ts";
import { eachNamed, inputOf, refuseInput, refuseInvalid } from "./input.ts";
import { deniedBeforeAsking } from "./permission.ts";
import { type Preview, previewOf } from "./preview.ts";
import { commandResult, notTried, printResult } from "./result.ts";
import { confirmationLines } from "./second-person.ts";
import type { CommandToSend } from "./seen.ts";
import { sendCommand, sendCommands } from "./send-command.ts";

/** Reads for a preview that are in progress at a time. */
const WIDTH = 8;

/** Shows what is now and what would be, asks, sends a change, and shows what is then. */
export const run: Run = async (invocation) => {
  const operation = invocation.command.operation as OperationName;
  const { options } = invocation;
  const named = eachNamed(invocation);
  if (named.length > 1) return changeSeveral(operation, named, invocation);
  const command = { operation, input: await inputOf(operation, named[0] ?? invocation) };
  const isJson = options.input !== undefined || options.commands !== undefined;
  if (isJson) await refuseInvalid(operation, command.input);
  if (options.curl === true) return (await import("./curl.ts")).printCurl(options, command);
  const connection = await connect(options);
  const result = await changed(connection, { ...command, wait: waitOf(options, "look") }, options);
  const code = await printResult(result, formatOf(options));
  adviseSecondPerson(invocation.table, [result]);
  await adviseAfterChange(connection.client, result);
  return code;
};

/** Shows what several changes would change, asks once, sends those whose state could be read, and prints a result for each. */
async function changeSeveral(
  operation: OperationName,
  named: Invocation[],
  { table, options }: Invocation,
): Promise<number> {
  refuseInput(options);
  const wait = waitOf(options, "look");
  const commands = await Promise.all(
    named.map(async (one) => ({ operation, input: await inputOf(operation, one), wait })),
  );
  if (options.curl === true) return (await import("./curl.ts")).printCurls(options, commands);
  const connection = await connect(options);
  const { printResults } = await import("./several.ts");
  const denied = await deniedBeforeAsking(connection, commands, options);
  if (denied.length > 0) return printResults(denied, formatOf(options));
  const plans = await inParallel(commands, WIDTH, (command) => planOf(connection, command, options));
  const ready = plans.filter((plan) => "preview" in plan);
  const results = await confirmedAndSent(connection, ready, options);
  const inOrder = plans
    .map((plan) => ("preview" in plan ? results[ready.indexOf(plan)] : plan.refused))
    .filter((result) => result !== undefined);
  const code = await printResults(inOrder, formatOf(options));
  adviseSecondPerson(table, inOrder);
  return code;
}

/** One of several changes with what it would change, or the result where that cannot be read. */
type Plan = Readable | { readonly refused: CommandResult };

interface Readable {
  readonly command: CommandToSend;
  readonly preview: Preview;
}

async function planOf({ client }: Connection, command: CommandToSend, options: Options): Promise<Plan> {
  try {
    return { command, preview: await previewOf(client, command, options) };
  } catch (error) {
    return { refused: await notTried(client, command, error) };
  }
}

async function confirmedAndSent(
  connection: Connection,
  plans: readonly Readable[],
  options: Options,
): Promise<CommandResult[]> {
  if (plans.length === 0) return [];
  showLines(plans.flatMap(({ preview }) => preview.lines));
  const commands = plans.map(({ command }) => command);
  if (isAsked(options)) showLines(await confirmationLines(connection, commands));
  const words = commands.map(describeCommand).join("; ");
  try {
    await askToConfirm(connection, options, `${words}, in ${connection.name}`);
  } catch (error) {
    return plans.map(({ command }) => notConfirmed(command, error));
  }
  return sendCommands(
    connection,
    plans.map(({ command, preview }) => ({ ...command, before: preview.now })),
  );
}

async function changed(connection: Connection, command: CommandToSend, options: Options): Promise<CommandResult> {
  const [denied] = await deniedBeforeAsking(connection, [command], options);
  if (denied) return denied;
  try {
    const before = await confirmChange(connection, command, options);
    return await sendCommand(connection, { ...command, before });
  } catch (error) {
    if (error instanceof NotConfirmedByUser) return notConfirmed(command, error);
    return notTried(connection.client, command, error);
  }
}

/** A change that the person did not confirm; any other error is thrown again. */
function notConfirmed(command: Command, error: unknown): CommandResult {
  if (!(error instanceof NotConfirmedByUser)) throw error;
  return commandResult(command, "not-sent", `not sent: ${error.message}`);
}
