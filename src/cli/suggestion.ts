import { didYouMean } from "../core/values/near-names.ts";

/** How many names a message lists. */
const MAX_NAMES = 12;

/** `; did you mean "x"?` when a known name is near, or begins like what was typed; else the known names. */
export function suggestion(typed: string, names: readonly string[]): string {
  const meant = didYouMean(typed, names);
  if (meant !== "") return meant;
  if (names.length === 0) return "; there are none";
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  return `; known: ${names.slice(0, MAX_NAMES).join(", ")}${more}`;
}
