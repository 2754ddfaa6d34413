import { AdminClientError } from "../../client/errors.ts";
import type { OperationName } from "../../core/operations/table.ts";
import { grouped } from "../../core/values/basics.ts";
import { type Connection, connect } from "../connection/connect.ts";
import { waitOf } from "../duration.ts";
import { NotConfirmedByUser } from "../exit-codes.ts";
import type { Invocation, Options, Run } from "../framework/definition.ts";
import { formatOf } from "../output/format.ts";
import { printInfo } from "../terminal/messages.ts";
import { ask, canAsk } from "../terminal/prompt.ts";
import { adviseAfterChange } from "./advice.ts";
import { type CommandResult, describeCommand } from "./describe-command.ts";
import { inputOf, type OperationInput, refuseInvalid } from "./input.ts";
import { meantName } from "./names.ts";
import { previewOf } from "./preview.ts";
import { commandResult, notTried, printResult } from "./result.ts";
import { sendCommand } from "./send-command.ts";

/** Shows what is now and what would be, asks, sends a change, and shows what is then. */
export const run: Run = async (invocation) => {
  const operation = invocation.command.operation as OperationName;
  const { options } = invocation;
  const input = await inputOf(operation, invocation);
  const isJson = options.input !== undefined || options.commands !== undefined;
  if (isJson) await refuseInvalid(operation, input);
  if (options.curl === true) return (await import("./curl.ts")).printCurl(options, operation, input);
  const connection = await connect(options);
  const result = await changed(connection, operation, input, invocation);
  const code = await printResult(result, formatOf(options));
  await adviseAfterChange(connection.client, result);
  return code;
};

async function changed(
  connection: Connection,
  operation: OperationName,
  input: OperationInput,
  { options }: Invocation,
): Promise<CommandResult> {
  const wait = waitOf(options, "look");
  try {
    const before = await confirmChange(connection, operation, input, options);
    return await sendCommand(connection, { operation, input, wait, before });
  } catch (error) {
    if (error instanceof NotConfirmedByUser)
      return commandResult(operation, input, "not-sent", `not sent: ${error.message}`);
    if (!(error instanceof AdminClientError)) throw error;
    return notTried(operation, input, error, await meantName(connection.client, input, error));
  }
}

/**
 * Has the person confirm a change: by its installation's name where that is marked as production, else by `yes`. Does not ask
 * with `--yes`.
 *
 * @throws NotConfirmedByUser when they type anything else, and where there is no terminal to ask on.
 */
export async function askToConfirm({ settings, name }: Connection, options: Options, question: string): Promise<void> {
  if (options.yes === true) return;
  if (!canAsk()) throw new NotConfirmedByUser("there is no terminal to ask for confirmation on; pass --yes");
  const word = settings.production ? name : "yes";
  if (settings.production) printInfo(`${name} is marked as production`);
  printInfo(question);
  const answer = await ask(`Type ${word} to continue: `);
  if (answer.trim() !== word) throw new NotConfirmedByUser(`not confirmed: ${JSON.stringify(word)} was not typed`);
}

/** How many lines of a preview are shown where nobody is asked: nobody reads thousands. */
const MAX_LINES = 40;

/**
 * Shows what is now and what would be, and has the person confirm it. Returns the state now; rejects when nothing is to be sent,
 * or when the state cannot be read.
 */
export async function confirmChange(
  connection: Connection,
  operation: OperationName,
  input: OperationInput,
  options: Options,
): Promise<unknown> {
  const { now, lines, drastic } = await previewOf(connection.client, operation, input, options);
  const isAsked = options.yes !== true && canAsk();
  sayFirst(lines, isAsked ? lines.length : MAX_LINES);
  await askToConfirm(connection, options, `${describeCommand(operation, input)}, in ${connection.name}`);
  if (!isAsked) sayFirst(drastic, MAX_LINES);
  for (const line of isAsked ? drastic : []) {
    printInfo(line);
    await askToConfirm(connection, options, "Is that intended?");
  }
  return now;
}

function sayFirst(lines: readonly string[], most: number): void {
  for (const line of lines.slice(0, most)) printInfo(line);
  if (lines.length > most) printInfo(`... and ${grouped(lines.length - most)} further lines`);
}
