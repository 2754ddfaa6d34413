import { AdminClientError } from "../../client/errors.ts";
import { inParallel } from "../../core/load/concurrency.ts";
import type { OperationName } from "../../core/operations/table.ts";
import { grouped } from "../../core/values/basics.ts";
import { type Connection, connect } from "../connection/connect.ts";
import { type Wait, waitOf } from "../duration.ts";
import { NotConfirmedByUser } from "../exit-codes.ts";
import type { Invocation, Options, Run } from "../framework/definition.ts";
import { formatOf } from "../output/format.ts";
import { printInfo } from "../terminal/messages.ts";
import { ask, canAsk } from "../terminal/prompt.ts";
import { adviseAfterChange } from "./advice.ts";
import { type CommandResult, describeCommand } from "./describe-command.ts";
import { inputOf, type OperationInput, refuseInvalid } from "./input.ts";
import { eachNamed, printCurls, refuseInput } from "./named.ts";
import { meantName } from "./names.ts";
import { type Preview, previewOf } from "./preview.ts";
import { commandResult, notTried, printResult } from "./result.ts";
import { sendCommand, sendCommands } from "./send-command.ts";

/** Reads for a preview that are in progress at a time. */
const WIDTH = 8;

/** Shows what is now and what would be, asks, sends a change, and shows what is then. */
export const run: Run = async (invocation) => {
  const operation = invocation.command.operation as OperationName;
  const { options } = invocation;
  const named = eachNamed(invocation);
  if (named.length > 1) return changeSeveral(operation, named, options);
  const input = await inputOf(operation, named[0] ?? invocation);
  const isJson = options.input !== undefined || options.commands !== undefined;
  if (isJson) await refuseInvalid(operation, input);
  if (options.curl === true) return (await import("./curl.ts")).printCurl(options, operation, input);
  const connection = await connect(options);
  const result = await changed(connection, operation, input, invocation);
  const code = await printResult(result, formatOf(options));
  await adviseAfterChange(connection.client, result);
  return code;
};

/** Shows what several changes would change, asks once, sends those whose state could be read, and prints a result for each. */
async function changeSeveral(
  operation: OperationName,
  named: readonly Invocation[],
  options: Options,
): Promise<number> {
  refuseInput(options);
  const wait = waitOf(options, "look");
  const inputs = await Promise.all(named.map((one) => inputOf(operation, one)));
  if (options.curl === true) return printCurls(options, operation, inputs);
  const connection = await connect(options);
  const plans = await inParallel(inputs, WIDTH, (input) => planOf(connection, operation, input, options));
  const ready = plans.filter((plan) => "preview" in plan);
  const results = await confirmedAndSent(connection, operation, ready, { wait, options });
  const { printResults } = await import("./several.ts");
  const inOrder = plans.map((plan) => ("preview" in plan ? results[ready.indexOf(plan)] : plan.refused));
  return printResults(
    inOrder.filter((result) => result !== undefined),
    formatOf(options),
  );
}

/** One of several changes with what it would change, or the result where that cannot be read. */
type Plan = Readable | { readonly refused: CommandResult };

interface Readable {
  readonly input: OperationInput;
  readonly preview: Preview;
}

async function planOf(
  { client }: Connection,
  operation: OperationName,
  input: OperationInput,
  options: Options,
): Promise<Plan> {
  try {
    return { input, preview: await previewOf(client, operation, input, options) };
  } catch (error) {
    if (!(error instanceof AdminClientError)) throw error;
    return { refused: notTried(operation, input, error, await meantName(client, input, error)) };
  }
}

async function confirmedAndSent(
  connection: Connection,
  operation: OperationName,
  plans: readonly Readable[],
  { wait, options }: { readonly wait: Wait; readonly options: Options },
): Promise<CommandResult[]> {
  if (plans.length === 0) return [];
  sayFirst(
    plans.flatMap(({ preview }) => preview.lines),
    MAX_LINES,
  );
  const words = plans.map(({ input }) => describeCommand(operation, input)).join("; ");
  try {
    await askToConfirm(connection, options, `${words}, in ${connection.name}`);
  } catch (error) {
    if (!(error instanceof NotConfirmedByUser)) throw error;
    return plans.map(({ input }) => commandResult(operation, input, "not-sent", `not sent: ${error.message}`));
  }
  return sendCommands(
    connection,
    plans.map(({ input, preview }) => ({ operation, input, wait, before: preview.now })),
  );
}

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
