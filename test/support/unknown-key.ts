import { STANDARD_PROJECTION_KEYS } from "../../src/core/values/projection.ts";

/** What is said of a projection key that does not exist: the message names it, and those that do. */
export function unknownKey(key: string): string {
  return `unknown projection key ${JSON.stringify(key)} (known: ${STANDARD_PROJECTION_KEYS.join(", ")})`;
}
