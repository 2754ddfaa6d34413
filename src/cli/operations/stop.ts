import type { AdminClient } from "../../client/client.ts";
import { AdminClientError } from "../../client/errors.ts";
import type { OperationName } from "../../core/operations/table.ts";
import type { Run } from "../command/definition.ts";
import { connect } from "../connection/connect.ts";
import { waitOf } from "../duration.ts";
import { formatOf } from "../output/format.ts";
import { command } from "./command.ts";
import { inputOf, type OperationInput } from "./input.ts";
import { printResult } from "./result.ts";
import { needsStateBefore, readState } from "./state.ts";

const READ_BEFORE_MS = 1_000;

/** Sends a stop: a halt, or the disabling or disconnecting of something. It never asks. */
export const run: Run = async (invocation) => {
  const operation = invocation.command.operation as OperationName;
  const { options } = invocation;
  const input = await inputOf(operation, invocation);
  const wait = waitOf(options, operation === "haltTrading" ? "prove" : "look");
  if (options.curl === true) return (await import("./curl.ts")).printCurl(options, operation, input);
  const connection = await connect(options);
  const before = wait.kind === "prove" ? await connectionBefore(connection.client, operation, input) : undefined;
  const result = await command(connection, { operation, input, wait, before });
  const code = await printResult(result, formatOf(options));
  const { adviseAfterStop } = await import("./advice.ts");
  await adviseAfterStop(connection.client, result);
  return code;
};

/**
 * A session as it was before it is disconnected: its peer may be back before the next read, and only the time of the connection
 * tells the new one from the old. Read only where proof is asked for, and nothing waits for a read that fails.
 */
async function connectionBefore(
  client: AdminClient,
  operation: OperationName,
  input: OperationInput,
): Promise<unknown> {
  if (!needsStateBefore(operation)) return undefined;
  try {
    return await readState(client, operation, input, { signal: AbortSignal.timeout(READ_BEFORE_MS) });
  } catch (error) {
    if (error instanceof AdminClientError) return undefined;
    throw error;
  }
}
