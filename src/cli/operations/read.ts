import type { AdminClient } from "../../client/client.ts";
import { AdminClientError } from "../../client/errors.ts";
import type { OperationName } from "../../core/operations/table.ts";
import { connect } from "../connection/connect.ts";
import { exitCodeOf } from "../exit-codes.ts";
import type { Run } from "../framework/definition.ts";
import { formatOf } from "../output/format.ts";
import { printError } from "../terminal/messages.ts";
import { failureWords } from "./describe-command.ts";
import { inputOf, type OperationInput } from "./input.ts";
import { meantName } from "./names.ts";
import { send } from "./state.ts";
import { printWithWho } from "./stopped-by.ts";

/** Reads and prints what the API returned. */
export const run: Run = async (invocation) => {
  const operation = invocation.command.operation as OperationName;
  const { arguments: args, options } = invocation;
  const isBare = args.projection === undefined && options.input === undefined && options.curl !== true;
  if (operation === "listPositions" && isBare) throw await (await import("./meant-path.ts")).missingProjection(options);
  const input = await inputOf(operation, invocation);
  if (options.curl === true) return (await import("./curl.ts")).printCurl(options, { operation, input });
  const { client } = await connect(options);
  return reading(client, operation, input, async () => {
    if (operation === "getTradingStatus") {
      const path = String(input.projectionPath ?? "");
      if (path === "") return (await import("../halts/halts.ts")).printRoot(client, options);
      return (await import("./branch.ts")).printBranch(client, path, options);
    }
    const { output } = await send(client, { operation, input });
    await printWithWho(client, operation, output, { format: formatOf(options), input });
  });
};

/**
 * Runs a read, and prints why it failed and what was perhaps intended. Returns the exit code; `work` may return another, and
 * `exitCode` decides that of a failure.
 */
export async function reading(
  client: AdminClient,
  operation: OperationName,
  input: OperationInput,
  work: () => Promise<number> | Promise<void>,
  exitCode: (error: AdminClientError) => number = exitCodeOf,
): Promise<number> {
  try {
    return (await work()) ?? 0;
  } catch (error) {
    if (!(error instanceof AdminClientError)) throw error;
    printError(`${failureWords(operation, error)}${await meantName(client, input, error)}`);
    return exitCode(error);
  }
}
