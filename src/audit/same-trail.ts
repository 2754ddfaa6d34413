import { type ChainLink, readClaim } from "./chain.ts";
import { currentOf } from "./file-set.ts";
import { readLines } from "./lines.ts";

export interface FileOfTrail {
  readonly path: string;
  /** Names its trail: the same for all files of one. */
  readonly trail: string;
}

/** A file and the first and last links of its chain; without them where its lines have none. */
interface Ends extends FileOfTrail {
  readonly first?: ChainLink | undefined;
  readonly last?: ChainLink | undefined;
}

/**
 * Sorts audit files by trail, those of a trail in the order of their records. A trail is the files with the name of its current one; a full file
 * that was moved to an archive belongs to it as well, as it ends with the hash with which another begins, and a copy of one, as both
 * end or begin with the same.
 */
export async function inTrails(paths: readonly string[]): Promise<readonly FileOfTrail[]> {
  const ends: Ends[] = [];
  for (const path of paths) ends.push({ path, trail: currentOf(path), ...(await endsOf(path)) });
  const trails = new Map(ends.map(({ path, trail }) => [path, trail]));
  for (const one of ends) for (const other of ends) if (areJoined(one, other)) unite(trails, one.path, other.path);
  const named = ends.map((file) => ({ ...file, trail: trails.get(file.path) ?? file.trail }));
  const order = [...new Set(named.map(({ trail }) => trail))];
  return named.toSorted(
    (a, b) =>
      order.indexOf(a.trail) - order.indexOf(b.trail) ||
      seqOf(a.first) - seqOf(b.first) ||
      seqOf(a.last) - seqOf(b.last),
  );
}

/** Whether one file continues another, or is a copy of it or of its beginning. */
function areJoined(one: Ends, other: Ends): boolean {
  if (one === other || one.first === undefined || other.last === undefined) return false;
  return (
    one.first.previous === other.last.hash || one.first.hash === other.first?.hash || one.last?.hash === other.last.hash
  );
}

/** Makes the trails of two files one. */
function unite(trails: Map<string, string>, one: string, other: string): void {
  const [kept, joined] = [trails.get(one), trails.get(other)];
  if (kept === undefined || kept === joined) return;
  for (const [path, trail] of trails) if (trail === joined) trails.set(path, kept);
}

function seqOf(link: ChainLink | undefined): number {
  return link?.seq ?? 0;
}

async function endsOf(path: string): Promise<Pick<Ends, "first" | "last">> {
  let first: Uint8Array | undefined;
  let last: Uint8Array | undefined;
  for await (const { bytes, complete } of readLines(path)) {
    if (!complete) break;
    first ??= bytes;
    last = bytes;
  }
  return { first: first && readClaim(first), last: last && readClaim(last) };
}
