import { distance } from "fastest-levenshtein";

/** How many names a message lists. */
const MAX_NAMES = 12;

/** `; did you mean "x"?` when a known name is near, or begins like what was typed; else the names that there are. */
export function suggestion(typed: string, names: readonly string[]): string {
  const near = nearest(typed, names);
  if (near !== undefined) return `; did you mean ${JSON.stringify(near)}?`;
  if (names.length === 0) return "; there is none";
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  return `; there ${names.length === 1 ? "is" : "are"} ${names.slice(0, MAX_NAMES).join(", ")}${more}`;
}

/** The known name that is meant: a third of its letters may be wrong, in whatever case. */
function nearest(typed: string, names: readonly string[]): string | undefined {
  const wanted = typed.toLowerCase();
  const [best] = names
    .map((name) => ({ name, wrong: distance(wanted, name.toLowerCase()) }))
    .filter(({ name, wrong }) => wrong <= Math.max(1, Math.floor(name.length / 3)))
    .toSorted((a, b) => a.wrong - b.wrong);
  return best?.name ?? names.find((name) => wanted.length > 2 && name.toLowerCase().includes(wanted));
}
