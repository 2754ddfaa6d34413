import { createHash } from "node:crypto";

/** A position in a chain: sequence number and hash of a record. */
export interface ChainPosition {
  /** Number of the record, counted from 1 over all files of the trail; 0 before the first. */
  readonly seq: number;
  /** SHA-256 in lower-case hexadecimal digits. */
  readonly hash: string;
}

/** The position before the first record of a chain. */
export const GENESIS: ChainPosition = { seq: 0, hash: "0".repeat(64) };

/** The chain fields of a line. */
export interface ChainLink extends ChainPosition {
  /** Hash of the record before. */
  readonly previous: string;
  /** The event of the file itself, if the line is not an audit record. */
  readonly event?: string;
}

/** A line with a wrong hash, or none at all. */
export interface BrokenLink {
  readonly problem: string;
  /** The chain fields of the line, if it has any. */
  readonly claimed?: ChainLink;
}

const HEAD = /^\{"seq":([1-9]\d{0,14}),"previous":"([0-9a-f]{64})",(?:"event":"([a-z-]+)",)?/;
const TAIL = /^,"hash":"([0-9a-f]{64})"\}$/;
const HEAD_LENGTH = 160;
const TAIL_LENGTH = `,"hash":"${GENESIS.hash}"}`.length;

/** Makes the next line of a chain, with its line end; `members` is JSON: the members of an object without the braces. */
export function chainLine(
  after: ChainPosition,
  members: string,
): { readonly line: string; readonly at: ChainPosition } {
  const seq = after.seq + 1;
  const hashed = `{"seq":${seq},"previous":"${after.hash}",${members}`;
  const hash = sha256(hashed);
  return { line: `${hashed},"hash":"${hash}"}\n`, at: { seq, hash } };
}

/** Makes the next lines of a chain; `firstSeq` is the number of the first. */
export function chainLines(
  after: ChainPosition,
  records: readonly string[],
): { readonly text: string; readonly at: ChainPosition; readonly firstSeq: number } {
  let at = after;
  let text = "";
  for (const members of records) {
    const next = chainLine(at, members);
    at = next.at;
    text += next.line;
  }
  return { text, at, firstSeq: after.seq + 1 };
}

/** Reads a line, without its line end, and checks its hash. */
export function readLink(line: Uint8Array): ChainLink | BrokenLink {
  const claimed = readClaim(line);
  if (claimed === undefined) return { problem: "this is not a record of an audit chain" };
  const computed = sha256(line.subarray(0, -TAIL_LENGTH));
  if (computed === claimed.hash) return claimed;
  return {
    problem: `record ${claimed.seq} was changed: its hash is ${claimed.hash}, its bytes give ${computed}`,
    claimed,
  };
}

export function isIntact(link: ChainLink | BrokenLink): link is ChainLink {
  return !("problem" in link);
}

/** The chain fields of a line, without its line end, as it has them; undefined if it has none. */
export function readClaim(line: Uint8Array): ChainLink | undefined {
  const head = HEAD.exec(latin1(line.subarray(0, HEAD_LENGTH)));
  const tail = TAIL.exec(latin1(line.subarray(-TAIL_LENGTH)));
  const [, seq, previous, event] = head ?? [];
  const hash = tail?.[1];
  if (previous === undefined || hash === undefined) return undefined;
  return { seq: Number(seq), previous, hash, ...(event !== undefined && { event }) };
}

/** Latin-1 keeps each byte a character; all searched texts are ASCII. */
function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}

/** SHA-256 in hexadecimal digits. */
export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
