import type { OperationName } from "../../core/operations/table.ts";
import { type Connection, connect } from "../connection/connect.ts";
import { waitOf } from "../duration.ts";
import { UsageError } from "../exit-codes.ts";
import type { Invocation, Options, Run } from "../framework/definition.ts";
import { formatOf } from "../output/format.ts";
import { printInfo, warn } from "../terminal/messages.ts";
import { OPERATION_FACTS } from "./facts.ts";
import { eachNamed, inputOf, type OperationInput, refuseInput } from "./input.ts";
import { takesReason } from "./operation-facts.ts";
import { printResult } from "./result.ts";
import type { CommandToSend } from "./seen.ts";
import { sendCommand, sendCommands } from "./send-command.ts";

/** Sends a stop: a halt, or the disabling or disconnecting of something, or of several things. It never asks. */
export const run: Run = async (invocation) => {
  const operation = invocation.command.operation as OperationName;
  const { options } = invocation;
  if (options.reason !== undefined && !takesReason(OPERATION_FACTS[operation]))
    warn(`${invocation.command.name} takes no reason: --reason is recorded nowhere`);
  const isOfAll = options.all === true;
  const named = eachNamed(invocation);
  if (named.length > 1 || isOfAll) refuseInput(options);
  if (isOfAll) refuseNamesWithAll(named);
  const wait = waitOf(options, operation === "haltTrading" ? "prove" : "look");
  const inputs = isOfAll ? [] : await Promise.all(named.map((one) => inputOf(operation, one)));
  const commandFor = (input: OperationInput): CommandToSend => ({ operation, input, wait });
  if (options.curl === true && !isOfAll) {
    const { printCurls } = await import("./curl.ts");
    return printCurls(options, inputs.map(commandFor));
  }
  const connection = await connect(options);
  const found = isOfAll
    ? await (await import("./several.ts")).inputsOfAll(connection, operation, invocation)
    : { inputs };
  if (typeof found === "number") return found;
  const [input, ...others] = found.inputs;
  if (input && others.length === 0 && !isOfAll) return stopOne(connection, commandFor(input), options);
  const results = await sendCommands(connection, found.inputs.map(commandFor));
  const code = await (await import("./several.ts")).printResults(results, formatOf(options));
  if (found.back !== undefined) printInfo(`to take it back: ${found.back}`);
  return code;
};

function refuseNamesWithAll(named: readonly Invocation[]): void {
  const isNamed = named.some(({ arguments: { session } }) => session !== undefined);
  if (isNamed) throw new UsageError("name sessions, or --all of the gateway; nothing was sent");
}

async function stopOne(connection: Connection, stop: CommandToSend, options: Options): Promise<number> {
  const result = await sendCommand(connection, stop);
  const code = await printResult(result, formatOf(options));
  const { adviseAfterStop } = await import("./advice.ts");
  await adviseAfterStop(connection.client, result);
  return code;
}
