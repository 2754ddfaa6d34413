import { readClaim } from "./chain.ts";
import { currentOf } from "./file-set.ts";
import { readLines } from "./lines.ts";

/** Where a file stands in its chain, by hashes; undefined where its line has none. */
interface Ends {
  /** Of the record before its first. */
  readonly previous: string | undefined;
  /** Of its last record. */
  readonly last: string | undefined;
}

/**
 * Names the trail of each file by its path. A trail is the files with the name of its current one; a full file that was moved to an archive
 * belongs to it as well, as it ends with the hash with which another begins, and a copy of one, as both end with the same.
 */
export async function trailsOf(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const trails = new Map(paths.map((path) => [path, currentOf(path)]));
  if (new Set(trails.values()).size < 2) return trails;
  const ends = new Map<string, Ends>();
  for (const path of paths) ends.set(path, await endsOf(path));
  const byLast = new Map<string, string>();
  for (const [path, { last }] of ends) {
    if (last === undefined) continue;
    unite(trails, byLast.get(last), path);
    byLast.set(last, path);
  }
  for (const [path, { previous }] of ends) unite(trails, byLast.get(previous ?? ""), path);
  return trails;
}

/** Makes the trails of two files one. */
function unite(trails: Map<string, string>, one: string | undefined, other: string): void {
  const [kept, joined] = [one === undefined ? undefined : trails.get(one), trails.get(other)];
  if (kept === undefined || kept === joined) return;
  for (const [path, trail] of trails) if (trail === joined) trails.set(path, kept);
}

async function endsOf(path: string): Promise<Ends> {
  let first: Uint8Array | undefined;
  let last: Uint8Array | undefined;
  for await (const { bytes, complete } of readLines(path)) {
    if (!complete) break;
    first ??= bytes;
    last = bytes;
  }
  return { previous: first && readClaim(first)?.previous, last: last && readClaim(last)?.hash };
}
