import type { AdminClient } from "../../client/client.ts";
import type { OperationName } from "../../core/operations/table.ts";
import type { Options } from "../command/definition.ts";
import type { OperationInput } from "./input.ts";
import type { Preview } from "./preview-shape.ts";
import { isConfirmed, readState, stateFields } from "./state.ts";

/** Reads what a change would change. */
export async function previewOf(
  client: AdminClient,
  operation: OperationName,
  input: OperationInput,
  options: Options,
): Promise<Preview> {
  if (operation === "updateRiskTable") return (await import("./preview-limits.ts")).previewLimits(client, input);
  if (operation === "adjustPosition")
    return (await import("./preview-position.ts")).previewPosition(client, input, options);
  if (!isConfirmed(operation)) return { now: null, lines: [], drastic: [] };
  const state = await readState(client, operation, input);
  return { now: state, lines: [`now    ${wordsOf(state)}`, `then   ${THEN[operation] ?? ""}`], drastic: [] };
}

/** What would be, of what needs no arithmetic. */
const THEN: Partial<Record<OperationName, string>> = {
  resumeTrading: "halted: no",
  enableService: "enabled: yes",
  enableFixSession: "may log on again",
};

const SHOWN = ["projection path", "halted", "reason", "name", "enabled", "status", "gatewayName", "sessionId"];

function wordsOf(state: unknown): string {
  const fields = Object.entries(stateFields(state)).filter(([name]) => SHOWN.includes(name));
  return fields
    .map(([name, value]) => `${name}: ${typeof value === "boolean" ? (value ? "yes" : "no") : (value ?? "-")}`)
    .join(", ");
}
