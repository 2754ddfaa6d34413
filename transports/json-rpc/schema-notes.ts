import type { OperationName } from "../../src/core/operations/table.ts";

/** What the published schemas say beyond what zod can tell of its own schemas. */

type Facts = Readonly<Record<string, unknown>>;

/** Facts of single fields of shared schemas, by `id.field`. */
export const FIELD_FACTS: Readonly<Record<string, Facts>> = {
  "RiskRow.limits": {
    description:
      "Limit by name; null means unlimited. Every column of the table is present. The set of names is open: MaxOrderSize and MaxOrderNotional are two of them.",
  },
  "RiskCommand.limits": {
    description:
      "Limits to apply by name; null means unlimited. The set of names is open; the engine rejects those that the table does not have. Absent for DELETE; absent otherwise means that no limit is named.",
  },
};

const RESOURCE_STATE = "The state read back from the session after the command, never an echo of what was asked.";
const ACCEPTED = "The reply means that the command was accepted; it may be applied a little later.";

/** Rules of an operation's messages that no JSON Schema can say. */
export const OPERATION_NOTES: Readonly<Partial<Record<OperationName, string>>> = {
  getTradingStatus: "The state of the path itself: a halted ancestor does not count.",
  haltTrading: `${ACCEPTED} Halts and resumes are applied in the order in which they came. cancelOrders is true only where projectionPath is empty.`,
  resumeTrading: `${ACCEPTED} Halts and resumes are applied in the order in which they came. Other paths stay as they are.`,
  updateRiskTable:
    "The keys of each command's conditions are exactly the keys of the projection, in its order. All commands are applied, one after the other, or none. The result is the table after the update.",
  listPositions:
    "The filters are named after projection keys, traderId after Trader. An installation with projection keys of its own has filters of those names too, the first letter in lower case; in the result likewise.",
  adjustPosition: `${ACCEPTED} Only the named node changes. relative applies to size alone; averageCost and realizedPnL are new values and stay as they are when absent.`,
  disableService: ACCEPTED,
  enableService: ACCEPTED,
  disableFixSession: RESOURCE_STATE,
  enableFixSession: RESOURCE_STATE,
  disconnectFixSession: RESOURCE_STATE,
};

/** Operations whose input has further members where an installation has projection keys of its own. */
export const OPEN_INPUTS: ReadonlySet<OperationName> = new Set(["listPositions"]);
