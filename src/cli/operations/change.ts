import { AdminClientError } from "../../client/errors.ts";
import type { OperationName } from "../../core/operations/table.ts";
import { type Connection, connect } from "../connection/connect.ts";
import { waitOf } from "../duration.ts";
import { NotConfirmedByUser } from "../exit-codes.ts";
import type { Invocation, Run } from "../framework/definition.ts";
import { formatOf } from "../output/format.ts";
import { adviseAfterChange } from "./advice.ts";
import { confirmChange } from "./confirm-change.ts";
import type { CommandResult } from "./describe-command.ts";
import { inputOf, type OperationInput, refuseInvalid } from "./input.ts";
import { meantName } from "./names.ts";
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
