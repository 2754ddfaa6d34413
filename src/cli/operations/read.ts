import type { OperationName } from "../../core/operations.ts";
import type { Run } from "../command/definition.ts";
import { connect } from "../connection/connect.ts";
import { formatOf } from "../output/format.ts";
import { printRecord, printRows } from "../output/print.ts";
import { OPERATION_FACTS } from "./facts.ts";
import { inputOf } from "./input.ts";
import { send } from "./send.ts";
import { listOf } from "./views.ts";

/** Reads and prints what the API returned. */
export const run: Run = async (invocation) => {
  const operation = invocation.command.operation as OperationName;
  const { options } = invocation;
  if (operation === "listFixSessions" && invocation.arguments.gateway === undefined && !options.input) {
    return (await import("./all-sessions.ts")).run(invocation);
  }
  const input = await inputOf(operation, invocation);
  if (options.curl === true) return (await import("./curl.ts")).printCurl(options, operation, input);
  const { client } = await connect(options);
  const { output: value } = await send(client, operation, input);
  await printRead(operation, value, invocation.options);
  return 0;
};

/** Prints the output of a read. */
export async function printRead(
  operation: OperationName,
  value: unknown,
  options: Parameters<typeof formatOf>[0],
): Promise<void> {
  const list = listOf(operation, value);
  if (list) return printRows(list, formatOf(options));
  await printRecord(
    { value, record: value as Record<string, unknown>, kinds: OPERATION_FACTS[operation].output },
    formatOf(options),
  );
}
