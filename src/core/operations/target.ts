import type { Fields } from "../values/basics.ts";
import { type ProjectionKeys, parseProjectionPath, printProjectionPath } from "../values/projection.ts";

/** The input field that names a node of the position/risk tree (specification, convention 4). */
export const PATH_FIELD = "projectionPath";

/**
 * What a command acts on as steps down from the whole system: path segments, or names. Throws `ProjectionSyntaxError` for a path with
 * other keys.
 */
export function targetSteps(target: readonly string[], input: Fields, keys: ProjectionKeys): string[] {
  return target.flatMap((field) => {
    const value = String(input[field]);
    if (field !== PATH_FIELD) return [`${field}=${value}`];
    return parseProjectionPath(value, keys).map((segment) => printProjectionPath([segment]));
  });
}

/**
 * Whether a target contains another, or is the same; that of the whole system contains everything. The order of segments makes no
 * difference to the engine.
 */
export function covers(outer: readonly string[], inner: readonly string[]): boolean {
  return outer.every((step) => inner.includes(step));
}

/** `Account[GOLD]/Symbol[AAPL]`, or `everything`. */
export function stepsInWords(steps: readonly string[]): string {
  return steps.length === 0 ? "everything" : steps.join("/");
}

/** A text that is the same for equal targets: the order of a path's segments makes no difference to the engine. */
export function stepsKey(steps: readonly string[]): string {
  return JSON.stringify(steps.toSorted());
}
