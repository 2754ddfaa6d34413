import { distance } from "fastest-levenshtein";

/** How many names a message lists. */
const MAX_LISTED = 12;

/** `; did you mean "x"?` where a known name is near what was typed, or begins like it; else empty. */
export function didYouMean(typed: string, names: readonly string[]): string {
  const near = nearest(typed, names);
  return near === undefined ? "" : `; did you mean ${JSON.stringify(near)}?`;
}

/** The same, and otherwise the known names: `; known: a, b and 3 more`. */
export function didYouMeanOneOf(typed: string, names: readonly string[]): string {
  const meant = didYouMean(typed, names);
  if (meant !== "") return meant;
  if (names.length === 0) return "; there are none";
  const more = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : "";
  return `; known: ${names.slice(0, MAX_LISTED).join(", ")}${more}`;
}

/** The known name that was probably intended; undefined where none is near. */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  const near = names.flatMap((name) => {
    const wrong = mistakesIn(typed, name);
    return wrong === undefined ? [] : [{ name, wrong }];
  });
  // Who types the beginning of a name means it more often than a shorter one that holds it elsewhere.
  const begins = ({ name }: { readonly name: string }): boolean => name.toLowerCase().startsWith(typed.toLowerCase());
  return near.toSorted((a, b) => Number(begins(b)) - Number(begins(a)) || a.wrong - b.wrong)[0]?.name;
}

/**
 * How many letters are wrong in what was typed for a name, or for its part behind the last slash, in whatever case; undefined when it is
 * too far from it: a third may be wrong, or all but a part of the name be left out.
 */
export function mistakesIn(typed: string, name: string): number | undefined {
  const [wanted, known] = [typed.toLowerCase(), name.toLowerCase()];
  const counts = [known, known.slice(known.lastIndexOf("/") + 1)].map(
    (part) => [part, mistakes(wanted, part)] as const,
  );
  const near = counts.flatMap(([part, wrong]) => (wrong <= Math.max(1, Math.floor(part.length / 3)) ? [wrong] : []));
  if (near.length > 0) return Math.min(...near);
  return wanted.length > 2 && known.includes(wanted) ? mistakes(wanted, known) : undefined;
}

/** Two neighbouring letters that changed places are one mistake of the hand, and two of the distance. */
function mistakes(typed: string, name: string): number {
  const at = [...name].findIndex((letter, index) => letter !== typed[index]);
  const isTransposed =
    at >= 0 &&
    typed.length === name.length &&
    typed === `${name.slice(0, at)}${name[at + 1] ?? ""}${name[at]}${name.slice(at + 2)}`;
  return isTransposed ? 1 : distance(typed, name);
}
