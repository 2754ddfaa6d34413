import type { OperationName } from "../../core/operations/table.ts";
import { type Connection, connect } from "../connection/connect.ts";
import { waitOf } from "../duration.ts";
import { UsageError } from "../exit-codes.ts";
import type { Invocation, Options, Run } from "../framework/definition.ts";
import { formatOf } from "../output/format.ts";
import { inputOf, type OperationInput } from "./input.ts";
import { printResult } from "./result.ts";
import type { CommandToSend } from "./seen.ts";
import { sendCommand, sendCommands } from "./send-command.ts";

/** Sends a stop: a halt, or the disabling or disconnecting of something, or of several things. It never asks. */
export const run: Run = async (invocation) => {
  const operation = invocation.command.operation as OperationName;
  const { options } = invocation;
  const isOfAll = options.all === true;
  const named = eachNamed(invocation);
  if (named.length > 1 || isOfAll) refuseWithSeveral(named, options);
  const wait = waitOf(options, operation === "haltTrading" ? "prove" : "look");
  const inputs = isOfAll ? [] : await Promise.all(named.map((one) => inputOf(operation, one)));
  if (options.curl === true && !isOfAll) return printCurls(options, operation, inputs);
  const connection = await connect(options);
  const found = isOfAll ? await (await import("./several.ts")).inputsOfAll(connection, operation, invocation) : inputs;
  if (typeof found === "number") return found;
  const [input, ...others] = found;
  if (input && others.length === 0 && !isOfAll) return stopOne(connection, { operation, input, wait }, options);
  const results = await sendCommands(
    connection,
    found.map((one) => ({ operation, input: one, wait })),
  );
  return (await import("./several.ts")).printResults(results, formatOf(options));
};

/** What was typed, once for each thing that is named; what is named twice is stopped once. */
function eachNamed(invocation: Invocation): Invocation[] {
  const { arguments: args } = invocation;
  const list = Object.entries(args).find(([, value]) => Array.isArray(value));
  if (!list) return [invocation];
  const [word, names] = list as [string, readonly string[]];
  const each = names.length === 0 ? [undefined] : [...new Set(names)];
  return each.map((name) => ({ ...invocation, arguments: { ...args, [word]: name } }));
}

function refuseWithSeveral(named: readonly Invocation[], { all, input }: Options): void {
  if (input !== undefined) throw new UsageError("--input is the input of one request; nothing was sent");
  const isNamed = named.some(({ arguments: { session } }) => session !== undefined);
  if (all === true && isNamed) throw new UsageError("name sessions, or --all of the gateway; nothing was sent");
}

async function printCurls(
  options: Options,
  operation: OperationName,
  inputs: readonly OperationInput[],
): Promise<number> {
  const { printCurl } = await import("./curl.ts");
  for (const input of inputs) await printCurl(options, operation, input);
  return 0;
}

async function stopOne(connection: Connection, stop: CommandToSend, options: Options): Promise<number> {
  const result = await sendCommand(connection, stop);
  const code = await printResult(result, formatOf(options));
  const { adviseAfterStop } = await import("./advice.ts");
  await adviseAfterStop(connection.client, result);
  return code;
}
