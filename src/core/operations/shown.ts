import type { Fields } from "../values/basics.ts";
import type { FieldCondition } from "./operation.ts";

/** Whether a state is what a command brings about; `before` is the state as it was read before the command. */
export function isShown(shown: readonly FieldCondition[], now: Fields, before?: Fields): boolean {
  return shown.some((condition) => holds(condition, now, before));
}

function holds(condition: FieldCondition, now: Fields, before: Fields | undefined): boolean {
  const value = now[condition.field];
  if ("is" in condition) return value === condition.is;
  // A value that the engine does not show proves nothing.
  if (!isKnown(value)) return false;
  if ("isNot" in condition) return value !== condition.isNot;
  const previous = before?.[condition.field];
  return isKnown(previous) && value !== previous;
}

function isKnown(value: unknown): boolean {
  return value !== null && value !== undefined;
}
