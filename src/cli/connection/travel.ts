import { ROUTES } from "../../client/routes.ts";
import { needsStateBefore } from "../../client/shown.ts";
import type { CallName, OperationName } from "../../core/operations/table.ts";
import { OPERATION_FACTS } from "../operations/facts.ts";

/**
 * How a request may travel. A `read` may go to any address, again and again. A `stop` may go to another address although the one before may
 * have carried it out: twice halted or disabled is halted or disabled. Everything else is sent `once`: a change, and the disconnection of a
 * session, which would cut the connection that has come since.
 */
export type Travel = "read" | "stop" | "once";

/** How the requests of an operation travel. */
export function travelOf(call: CallName): Travel {
  if (ROUTES[call].retry === "safe") return "read";
  // What is beyond the specification only reads.
  const operation = call as OperationName;
  return OPERATION_FACTS[operation].lane === "stop" && !needsStateBefore(operation) ? "stop" : "once";
}
