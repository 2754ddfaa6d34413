import type { AskedOperation } from "./described.ts";

/** What commands do, in the words of the dialog and its button; what stops or starts everything is in capitals. */
const EFFECTS: Readonly<Record<string, (input: Readonly<Record<string, unknown>>) => string>> = {
  haltTrading: ({ projectionPath, cancelOrders }) => {
    if (isGiven(projectionPath)) return `Halt ${projectionPath}`;
    return cancelOrders === true ? "HALT ALL TRADING and cancel all working orders" : "HALT ALL TRADING";
  },
  resumeTrading: ({ projectionPath }) => (isGiven(projectionPath) ? `Resume ${projectionPath}` : "RESUME ALL TRADING"),
  disableService: ({ name }) => `Disable ${name}`,
  enableService: ({ name }) => `Enable ${name}`,
  disableFixSession: ({ gateway, session }) => `Disable ${session} of ${gateway}`,
  enableFixSession: ({ gateway, session }) => `Enable ${session} of ${gateway}`,
  disconnectFixSession: ({ gateway, session }) => `Disconnect ${session} of ${gateway}`,
  adjustPosition: ({ projectionPath, size, relative }) =>
    relative === true
      ? `Add ${size} to the position ${projectionPath}`
      : `Set the position ${projectionPath} to ${size}`,
  updateRiskTable: ({ projection, commands }) => {
    const count = Array.isArray(commands) ? commands.length : 0;
    const table = isGiven(projection) ? projection : "of the root";
    return `Change the risk table ${table}, ${count} ${count === 1 ? "command" : "commands"}`;
  },
};

/** What a request does if it is sent, in words; the summary of the document for an operation that has none here. */
export function effectOf({ operation, input }: AskedOperation): string {
  return EFFECTS[operation.operationId]?.(input) ?? operation.summary;
}

/** A path that is left out, `null` or empty means everything. */
function isGiven(path: unknown): boolean {
  return path !== undefined && path !== null && path !== "";
}
