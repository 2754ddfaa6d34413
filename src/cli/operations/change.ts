import { AdminClientError } from "../../client/errors.ts";
import { inParallel } from "../../core/load/concurrency.ts";
import type { OperationName } from "../../core/operations/table.ts";
import { type Connection, connect } from "../connection/connect.ts";
import { type Wait, waitOf } from "../duration.ts";
import { NotConfirmedByUser } from "../exit-codes.ts";
import type { Invocation, Options, Run } from "../framework/definition.ts";
import { formatOf } from "../output/format.ts";
import { adviseAfterChange } from "./advice.ts";
import { askToConfirm, confirmChange, showLines } from "./confirm-change.ts";
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
  showLines(plans.flatMap(({ preview }) => preview.lines));
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
