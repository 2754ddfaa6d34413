import { distance } from "fastest-levenshtein";

/** How many names a message lists. */
const MAX_NAMES = 12;

/** `; did you mean "x"?` when a known name is near, or begins like what was typed; else the known names. */
export function suggestion(typed: string, names: readonly string[]): string {
  const near = nearest(typed, names);
  if (near !== undefined) return `; did you mean ${JSON.stringify(near)}?`;
  if (names.length === 0) return "; there are none";
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  return `; known: ${names.slice(0, MAX_NAMES).join(", ")}${more}`;
}

/** The known name that was probably intended. */
function nearest(typed: string, names: readonly string[]): string | undefined {
  const near = names.flatMap((name) => {
    const wrong = mistakesIn(typed, name);
    return wrong === undefined ? [] : [{ name, wrong }];
  });
  // Who types the beginning of a name means it more often than a shorter one that holds it elsewhere.
  const begins = ({ name }: { readonly name: string }): boolean => name.toLowerCase().startsWith(typed.toLowerCase());
  return near.toSorted((a, b) => Number(begins(b)) - Number(begins(a)) || a.wrong - b.wrong)[0]?.name;
}

/**
 * How many letters are wrong in what was typed for a name, in whatever case; undefined when it is too far from it: a third may be
 * wrong, or all but a part of the name be left out.
 */
export function mistakesIn(typed: string, name: string): number | undefined {
  const [wanted, known] = [typed.toLowerCase(), name.toLowerCase()];
  const wrong = isTransposed(wanted, known) ? 1 : distance(wanted, known);
  const isNear = wrong <= Math.max(1, Math.floor(name.length / 3));
  return isNear || (wanted.length > 2 && known.includes(wanted)) ? wrong : undefined;
}

/** Whether two neighbouring letters changed places: one mistake of the hand, and two of the distance. */
function isTransposed(typed: string, name: string): boolean {
  const at = [...name].findIndex((letter, index) => letter !== typed[index]);
  if (at < 0 || typed.length !== name.length) return false;
  return typed === `${name.slice(0, at)}${name[at + 1] ?? ""}${name[at]}${name.slice(at + 2)}`;
}
