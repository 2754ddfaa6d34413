import type { Output } from "../../core/operations/table.ts";
import type { Run } from "../command/definition.ts";
import { connect } from "../connection/connect.ts";
import { printRead, reading } from "./reading.ts";

/** Prints the sessions of all FIX gateways as one list. */
export const run: Run = async ({ options }) => {
  if (options.curl === true) return (await import("./curl.ts")).printCurl(options, "listFixGateways", {});
  const { client } = await connect(options);
  return reading(client, "listFixGateways", {}, async () => {
    const gateways = await client.listFixGateways();
    const sessions = gateways.map(({ gatewayName }): Promise<Output<"listFixSessions">> => {
      return client.listFixSessions({ gateway: gatewayName });
    });
    await printRead("listFixSessions", (await Promise.all(sessions)).flat(), options);
  });
};
