import { type ChainPosition, isIntact, readLink } from "./chain.ts";
import { readLines } from "./lines.ts";

/** State of a chain's file at opening. */
export interface Inspection {
  /** Sequence number of its first intact record. */
  readonly firstSeq: number | undefined;
  /** Position of its last intact record. */
  readonly last: ChainPosition | undefined;
  readonly completeBytes: number;
  /** Bytes after the last line end: an incomplete line. */
  readonly tornBytes: number;
  /** First break of the chain, unless already recorded. */
  readonly damage: { readonly line: number; readonly problem: string } | undefined;
}

/** Reads a file and checks its chain. */
export async function inspect(path: string): Promise<Inspection> {
  const seen = new Inspector();
  let completeBytes = 0;
  let tornBytes = 0;
  for await (const { bytes, number, complete } of readLines(path)) {
    if (complete) {
      completeBytes += bytes.length + 1;
      seen.line(bytes, number);
    } else {
      tornBytes = bytes.length;
    }
  }
  const { firstSeq, last, damage } = seen;
  return { firstSeq, last, completeBytes, tornBytes, damage };
}

class Inspector {
  firstSeq: number | undefined;
  last: ChainPosition | undefined;
  damage: Inspection["damage"];

  line(bytes: Uint8Array, line: number): void {
    const link = readLink(bytes);
    if (!isIntact(link)) {
      this.#damaged(line, link.problem);
      return;
    }
    // The process that opened the file before has recorded the lines above.
    if (link.event === "damaged") this.damage = undefined;
    else if (this.last && (link.previous !== this.last.hash || link.seq !== this.last.seq + 1)) {
      this.#damaged(line, `record ${link.seq} does not continue record ${this.last.seq}`);
    }
    this.firstSeq ??= link.seq;
    this.last = { seq: link.seq, hash: link.hash };
  }

  #damaged(line: number, problem: string): void {
    this.damage ??= { line, problem };
  }
}
