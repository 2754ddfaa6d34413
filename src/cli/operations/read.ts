import type { AdminClient } from "../../client/client.ts";
import { AdminClientError } from "../../client/errors.ts";
import type { OperationName } from "../../core/operations/table.ts";
import type { Invocation, Options, Run } from "../command/definition.ts";
import { connect } from "../connection/connect.ts";
import { exitCodeOf } from "../exit-codes.ts";
import { formatOf } from "../output/format.ts";
import { complain } from "../terminal/say.ts";
import { failureWords } from "./deed.ts";
import { inputOf, type OperationInput } from "./input.ts";
import { meantName } from "./names.ts";
import { send } from "./state.ts";
import { printRead } from "./views.ts";

/** Reads and prints what the API returned. */
export const run: Run = async (invocation) => {
  const operation = invocation.command.operation as OperationName;
  const { options } = invocation;
  if (isOfAllGateways(operation, invocation)) return allSessions(options);
  if (lacksProjection(operation, invocation)) throw await (await import("./projections.ts")).missingProjection(options);
  const input = await inputOf(operation, invocation);
  if (options.curl === true) return (await import("./curl.ts")).printCurl(options, operation, input);
  const { client } = await connect(options);
  return reading(client, operation, input, async () => {
    if (operation === "getTradingStatus" && input.projectionPath) {
      const { printBranch } = await import("./branch.ts");
      return printBranch(client, String(input.projectionPath), options);
    }
    const { output } = await send(client, operation, input);
    await printRead(operation, output, formatOf(options), input);
  });
};

function isOfAllGateways(
  operation: OperationName,
  { arguments: { gateway }, options: { input } }: Invocation,
): boolean {
  return operation === "listFixSessions" && gateway === undefined && input === undefined;
}

function lacksProjection(
  operation: OperationName,
  { arguments: { projection }, options: { input, curl } }: Invocation,
): boolean {
  return operation === "listPositions" && projection === undefined && input === undefined && curl !== true;
}

/** Prints the sessions of all FIX gateways as one list. */
async function allSessions(options: Options): Promise<number> {
  if (options.curl === true) return (await import("./curl.ts")).printCurl(options, "listFixGateways", {});
  const { client } = await connect(options);
  return reading(client, "listFixGateways", {}, async () => {
    const { readSessions } = await import("../watch/sessions.ts");
    await printRead("listFixSessions", await readSessions(client), formatOf(options));
  });
}

/** Runs a read, and says of one that fails what was wrong and what was perhaps meant. Returns the exit code. */
async function reading(
  client: AdminClient,
  operation: OperationName,
  input: OperationInput,
  work: () => Promise<void>,
): Promise<number> {
  try {
    await work();
    return 0;
  } catch (error) {
    if (!(error instanceof AdminClientError)) throw error;
    complain(`${failureWords(operation, error)}${await meantName(client, input, error)}`);
    return exitCodeOf(error);
  }
}
