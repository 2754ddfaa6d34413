import { describe, expect, it } from "vitest";
import type { ChainPosition } from "../../src/audit/chain.ts";
import { compareChains } from "../../src/audit/comparison.ts";

type Seqs = readonly [first: number, last: number];

function records([first, last]: Seqs, hash: string): ChainPosition[] {
  return Array.from({ length: last - first + 1 }, (_, at) => ({ seq: first + at, hash: `${hash}${first + at}` }));
}

async function compared(file: readonly ChainPosition[], stream: readonly ChainPosition[]) {
  async function* inFile() {
    yield* file;
  }
  return await compareChains(inFile(), stream);
}

describe("D-LOG 23: a file is compared with what the stream has of it", () => {
  const NOTHING = expect.stringMatching(/^NOT IN THE STREAM: /);

  it("and where the stream has nothing of it under the name that its last record gives, nothing is proven", async () => {
    expect((await compared(records([1, 7], "forged"), [])).problems).toEqual([NOTHING]);
  });

  it("and where all its numbers are beyond those of the stream", async () => {
    expect((await compared(records([100, 107], "forged"), records([1, 7], "a"))).problems).toEqual([NOTHING]);
  });

  it("and where it has the same numbers with other hashes", async () => {
    const { problems } = await compared(records([1, 7], "forged"), records([1, 7], "a"));
    expect(problems).toEqual([NOTHING, expect.stringMatching(/^CHANGED: records 1 to 7 /)]);
  });

  it("but a stream that is behind, or a file whose beginning is archived, is not a problem", async () => {
    expect(await compared(records([1, 7], "a"), records([1, 1], "a"))).toMatchObject({ problems: [] });
    expect(await compared(records([5, 7], "a"), records([1, 5], "a"))).toMatchObject({ problems: [] });
    expect(await compared([], [])).toEqual({ problems: [], notes: [] });
  });
});
