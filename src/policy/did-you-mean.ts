import { distance } from "fastest-levenshtein";

/** `; did you mean "x"?` where a known name is near, or ends in what was written, as `Europe/Berlin` in `Berlin`; else empty. */
export function didYouMean(written: string, known: readonly string[]): string {
  const wanted = written.toLowerCase();
  const mistakes = (name: string): number =>
    Math.min(distance(wanted, name), distance(wanted, name.slice(name.lastIndexOf("/") + 1)));
  const [nearest] = known
    .map((name) => ({ name, wrong: mistakes(name.toLowerCase()) }))
    .toSorted((one, other) => one.wrong - other.wrong);
  const isNear = nearest !== undefined && nearest.wrong <= Math.max(1, written.length / 4);
  return isNear ? `; did you mean ${JSON.stringify(nearest.name)}?` : "";
}
