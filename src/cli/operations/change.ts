import type { OperationName } from "../../core/operations.ts";
import type { Run } from "../command/definition.ts";
import { connect } from "../connection/connect.ts";
import { NotConfirmedByUser } from "../exit-codes.ts";
import { formatOf } from "../output/format.ts";
import { command } from "./command.ts";
import { confirmChange } from "./confirm-change.ts";
import { inputOf } from "./input.ts";
import { printResult, unsentResult } from "./result.ts";
import { waitOf } from "./wait.ts";

/** Shows what is now and what would be, asks, sends a change, and shows what is then. */
export const run: Run = async (invocation) => {
  const operation = invocation.command.operation as OperationName;
  const { options } = invocation;
  const input = await inputOf(operation, invocation);
  const wait = waitOf(options, "look");
  if (options.curl === true) return (await import("./curl.ts")).printCurl(options, operation, input);
  const connection = await connect(options);
  try {
    await confirmChange(connection, operation, input, options);
  } catch (error) {
    if (!(error instanceof NotConfirmedByUser)) throw error;
    return printResult(unsentResult(operation, input, error.message, null), formatOf(options));
  }
  return printResult(await command(connection, { operation, input, wait }), formatOf(options));
};
