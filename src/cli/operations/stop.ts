import type { OperationName } from "../../core/operations/table.ts";
import type { Run } from "../command/definition.ts";
import { connect } from "../connection/connect.ts";
import { waitOf } from "../duration.ts";
import { formatOf } from "../output/format.ts";
import { command } from "./command.ts";
import { inputOf } from "./input.ts";
import { printResult } from "./result.ts";

/** Sends a stop: a halt, or the disabling or disconnecting of something. It never asks. */
export const run: Run = async (invocation) => {
  const operation = invocation.command.operation as OperationName;
  const { options } = invocation;
  const input = await inputOf(operation, invocation);
  const wait = waitOf(options, operation === "haltTrading" ? "prove" : "look");
  if (options.curl === true) return (await import("./curl.ts")).printCurl(options, operation, input);
  const connection = await connect(options);
  const result = await command(connection, { operation, input, wait });
  const code = await printResult(result, formatOf(options));
  const { adviseAfterStop } = await import("./advice.ts");
  await adviseAfterStop(connection.client, result);
  return code;
};
