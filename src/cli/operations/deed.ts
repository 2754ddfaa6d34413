import type { OperationName } from "../../core/operations/table.ts";
import type { OperationInput } from "./input.ts";

/** What a command does to what, in words: `halt of trading at Account[GOLD]`. */
export function deedOf(operation: OperationName, input: OperationInput): string {
  const words = DEEDS[operation];
  return words ? words(input) : operation;
}

/** Where in the tree: a projection path, or everywhere. */
export function placeOf(projectionPath: unknown): string {
  return projectionPath === undefined || projectionPath === "" ? "system-wide" : `at ${projectionPath}`;
}

const DEEDS: Partial<Record<OperationName, (input: OperationInput) => string>> = {
  haltTrading: ({ projectionPath }) => `halt of trading ${placeOf(projectionPath)}`,
  resumeTrading: ({ projectionPath }) => `resumption of trading ${placeOf(projectionPath)}`,
  updateRiskTable: ({ projection }) => `update of the risk table ${projection === "" ? "of the root" : projection}`,
  adjustPosition: ({ projectionPath }) => `adjustment of the position ${placeOf(projectionPath)}`,
  enableService: ({ name }) => `enabling of service ${name}`,
  disableService: ({ name }) => `disabling of service ${name}`,
  enableFixSession: (input) => `enabling of ${sessionOf(input)}`,
  disableFixSession: (input) => `disabling of ${sessionOf(input)}`,
  disconnectFixSession: (input) => `disconnection of ${sessionOf(input)}`,
};

function sessionOf({ gateway, session }: OperationInput): string {
  return `FIX session ${session} of gateway ${gateway}`;
}
