import type { OperationName } from "../../core/operations/table.ts";
import type { Invocation, Options, Run } from "../command/definition.ts";
import { connect } from "../connection/connect.ts";
import { inputOf } from "./input.ts";
import { printRead, reading } from "./reading.ts";
import { send } from "./state.ts";

/** Reads and prints what the API returned. */
export const run: Run = async (invocation) => {
  const operation = invocation.command.operation as OperationName;
  const { options } = invocation;
  if (isOfAllGateways(operation, invocation)) return allSessions(options);
  const input = await inputOf(operation, invocation);
  if (options.curl === true) return (await import("./curl.ts")).printCurl(options, operation, input);
  const { client } = await connect(options);
  return reading(client, operation, input, async () => {
    if (operation === "getTradingStatus" && input.projectionPath) {
      const { printBranch } = await import("./branch.ts");
      return printBranch(client, String(input.projectionPath), options);
    }
    const { output } = await send(client, operation, input);
    await printRead(operation, output, options);
  });
};

function isOfAllGateways(
  operation: OperationName,
  { arguments: { gateway }, options: { input } }: Invocation,
): boolean {
  return operation === "listFixSessions" && gateway === undefined && input === undefined;
}

/** Prints the sessions of all FIX gateways as one list. */
async function allSessions(options: Options): Promise<number> {
  if (options.curl === true) return (await import("./curl.ts")).printCurl(options, "listFixGateways", {});
  const { client } = await connect(options);
  return reading(client, "listFixGateways", {}, async () => {
    const { readSessions } = await import("../watch/sessions.ts");
    await printRead("listFixSessions", await readSessions(client), options);
  });
}
