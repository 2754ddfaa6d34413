import type { Output } from "../../core/operations.ts";
import type { Run } from "../command/definition.ts";
import { connect } from "../connection/connect.ts";
import { printRead } from "./read.ts";

/** Prints the sessions of all FIX gateways as one list. */
export const run: Run = async ({ options }) => {
  const { client } = await connect(options);
  const sessions: Output<"listFixSessions"> = [];
  for (const { gatewayName } of await client.listFixGateways()) {
    sessions.push(...(await client.listFixSessions({ gateway: gatewayName })));
  }
  await printRead("listFixSessions", sessions, options);
  return 0;
};
