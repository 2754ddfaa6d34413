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
import { isConfirmed, needsStateBefore, readState } from "./state.ts";

const READ_BEFORE_MS = 1_000;

/** Sends a stop: a halt, or the disabling or disconnecting of something. It never asks. */
export const run: Run = async (invocation) => {
  const operation = invocation.command.operation as OperationName;
  const { options } = invocation;
  const input = await inputOf(operation, invocation);
  const wait = waitOf(options, operation === "haltTrading" ? "prove" : "look");
  if (options.curl === true) return (await import("./curl.ts")).printCurl(options, operation, input);
  const connection = await connect(options);
  const reading = wait.kind === "prove" ? stateBefore(connection.polling, operation, input) : undefined;
  // Only the time of the connection tells a session's new connection from the old: its peer may be back before the next read.
  const before = needsStateBefore(operation) ? await reading : undefined;
  const result = await command(connection, { operation, input, wait, before, reading });
  const code = await printResult(result, formatOf(options));
  const { adviseAfterStop } = await import("./advice.ts");
  await adviseAfterStop(connection.client, result);
  return code;
};

/** The state before the stop, which decides whether a stop without a response has worked. It is asked for first, and the stop does not wait for it. */
async function stateBefore(client: AdminClient, operation: OperationName, input: OperationInput): Promise<unknown> {
  if (!isConfirmed(operation)) return undefined;
  try {
    return await readState(client, operation, input, { signal: AbortSignal.timeout(READ_BEFORE_MS) });
  } catch (error) {
    if (error instanceof AdminClientError) return undefined;
    throw error;
  }
}
