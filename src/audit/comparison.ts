import type { ChainPosition } from "./chain.ts";

export interface ChainComparison {
  /** Records that only one of the two has, or that differ, in words. */
  readonly problems: readonly string[];
  /** Differences that are not problems: the copy is behind, or older records are archived. */
  readonly notes: readonly string[];
}

const NOTHING_IN_COMMON =
  "NOT IN THE STREAM: it has no record of the file under the gateway's name, which --gateway gives; nothing is proven of the file";

/** Compares the records of an audit file, in its order, with those that a stream has of it. */
export async function compareChains(
  file: AsyncIterable<ChainPosition>,
  stream: Iterable<ChainPosition>,
): Promise<ChainComparison> {
  const copied = new Map<number, string>();
  for (const { seq, hash } of stream) copied.set(seq, hash);
  const ofFile = { first: 0, last: 0 };
  const lastInStream = highest(copied.keys());
  const missing: number[] = [];
  const different: number[] = [];
  let common = 0;
  for await (const { seq, hash } of file) {
    ofFile.first ||= seq;
    ofFile.last = Math.max(ofFile.last, seq);
    const copy = copied.get(seq);
    copied.delete(seq);
    if (copy === undefined) missing.push(seq);
    else if (copy !== hash) different.push(seq);
    else common += 1;
  }
  const left = [...copied.keys()];
  return {
    problems: [
      // A file whose records were all replaced, or that names another gateway, has no number in common with what the stream has of it.
      ...(common === 0 && ofFile.last > 0 ? [NOTHING_IN_COMMON] : []),
      ...found(
        left.filter((seq) => seq > ofFile.last),
        (records) => `REMOVED: the stream has ${records}, which were at the end of the file`,
      ),
      ...found(
        left.filter((seq) => seq > ofFile.first && seq < ofFile.last),
        (records) => `REMOVED: the stream has ${records}, which are not in the file`,
      ),
      ...found(different, (records) => `CHANGED: ${records} of the file have other hashes in the stream`),
      ...found(
        missing.filter((seq) => seq <= lastInStream),
        (records) => `MISSING: the stream does not have ${records} of the file`,
      ),
    ],
    notes: [
      ...found(
        left.filter((seq) => seq < ofFile.first),
        (records) => `the stream has ${records}, from before the file begins`,
      ),
      ...found(
        missing.filter((seq) => seq > lastInStream),
        (records) => `the stream does not have ${records} yet`,
      ),
    ],
  };
}

function highest(numbers: Iterable<number>): number {
  let most = 0;
  for (const number of numbers) most = Math.max(most, number);
  return most;
}

function found(seqs: readonly number[], words: (records: string) => string): string[] {
  return seqs.length === 0 ? [] : [words(`records ${ranges(seqs)}`)];
}

/** Most ranges that are named. */
const MAX_RANGES = 20;

/** Numbers in words: `3 to 5, 9`. */
function ranges(seqs: readonly number[]): string {
  const spans: [first: number, last: number][] = [];
  for (const seq of seqs.toSorted((a, b) => a - b)) {
    const span = spans.at(-1);
    if (span && seq <= span[1] + 1) span[1] = seq;
    else spans.push([seq, seq]);
  }
  const words = spans
    .slice(0, MAX_RANGES)
    .map(([first, last]) => (first === last ? `${first}` : `${first} to ${last}`));
  return [...words, ...(spans.length > MAX_RANGES ? [`and more (${seqs.length} in all)`] : [])].join(", ");
}
