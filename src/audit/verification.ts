import { basename } from "node:path";
import { listLike, requireArgument } from "../core/options.ts";
import type { AuditRecord } from "../core/records/record.ts";
import { jsonIn } from "../core/values/basics.ts";
import { type ChainLink, type ChainPosition, GENESIS, isIntact, readLink } from "./chain.ts";
import { currentOf, firstSeqOf } from "./file-set.ts";
import { type FileLine, readLines } from "./lines.ts";
import { isThere, type Trail, wholeTrail } from "./rotation.ts";

export interface AuditFinding {
  readonly file: string;
  /** Number of the line, from 1; 0 for the file as a whole. */
  readonly line: number;
  /** What was found, for people. */
  readonly message: string;
}

/** A mutation with an intent and no outcome. */
export type OpenIntent = Pick<AuditRecord, "id" | "time" | "operation" | "user">;

/** Result of a verification. The chain is intact if there are no problems. */
export interface AuditVerification {
  /** The verified files, in order. */
  readonly files: readonly string[];
  /** Records that were read. */
  readonly records: number;
  /** Position before the first record: `seq` is 0 unless older files are missing. */
  readonly first: ChainPosition;
  /** Position of the last record. */
  readonly last: ChainPosition;
  /** Breaks of the chain, the first 100 of them; `problemCount` counts all. */
  readonly problems: readonly AuditFinding[];
  /** All breaks of the chain. */
  readonly problemCount: number;
  /** Findings that do not break the chain: a torn last line, and events of the file itself. */
  readonly notes: readonly AuditFinding[];
  /** Mutations left open by a crash: they may have been sent. */
  readonly openIntents: readonly OpenIntent[];
  /** Number of records after the one with the requested hash; undefined if there is no such record. */
  readonly recordsAfterExpected: number | undefined;
}

/** Breaks that are listed individually. */
export const MAX_PROBLEMS = 100;

/**
 * Verifies the chain of audit files, given in order. A single path, of the current file of an audit trail, stands for the whole trail,
 * including rotated files.
 *
 * @example
 * const { problems } = await verifyAuditFiles(["/var/log/gateway/audit.jsonl"]);
 * if (problems.length > 0) console.error(problems);
 */
export async function verifyAuditFiles(paths: readonly string[], expectedHash?: string): Promise<AuditVerification> {
  requireArgument("verifyAuditFiles", "paths", paths, listLike('["audit.jsonl"]'));
  const [path, ...more] = paths;
  const trail: Trail = path !== undefined && more.length === 0 ? await wholeTrail(path) : { files: paths };
  const { files } = trail;
  const end = trail.end ?? (await missingBehind(files.at(-1)));
  const verifier = new ChainVerifier(expectedHash);
  for (const file of files) {
    for await (const line of readLines(file)) verifier.line(line, file, file === files.at(-1));
  }
  if (end) verifier.end(end);
  return verifier.result(files);
}

/** Verifies the lines of one chain, as they are passed to it in order. */
export class ChainVerifier {
  readonly #expectedHash: string | undefined;
  readonly #problems: AuditFinding[] = [];
  readonly #notes: AuditFinding[] = [];
  readonly #intents = new Map<string, OpenIntent>();
  #problemCount = 0;
  #records = 0;
  #first: ChainPosition | undefined;
  #last: ChainPosition | undefined;
  /** The last line was unreadable, so the expected next position is unknown. */
  #lost = false;
  #expectedAt: number | undefined;

  constructor(expectedHash?: string) {
    this.#expectedHash = expectedHash;
  }

  line({ bytes, number: line, complete }: FileLine, file: string, inLastFile: boolean): void {
    const problem = (message: string): void => this.#problem({ file, line, message });
    if (!complete) {
      const message = `the line is torn: ${bytes.length} bytes without a line end`;
      if (inLastFile) this.#notes.push({ file, line, message: `${message}, as a crash in mid-write leaves it` });
      else problem(message);
      return;
    }
    this.#records += 1;
    const link = readLink(bytes);
    if (!isIntact(link)) {
      problem(link.problem);
      this.#lost = link.claimed === undefined;
      if (link.claimed) this.#advance(link.claimed);
      return;
    }
    const gap = this.#breakBefore(link) ?? (line === 1 ? wrongBeginning(link, file) : undefined);
    if (gap) problem(gap);
    this.#lost = false;
    this.#advance(link);
    if (!this.#content(bytes, link, { file, line })) problem(`record ${link.seq} is not valid JSON`);
  }

  end({ isProblem, file, message }: NonNullable<Trail["end"]>): void {
    const finding = { file, line: 0, message };
    if (isProblem) this.#problem(finding);
    else this.#notes.push(finding);
  }

  result(files: readonly string[]): AuditVerification {
    return {
      files,
      records: this.#records,
      first: this.#first ?? GENESIS,
      last: this.#last ?? GENESIS,
      problems: this.#problems,
      problemCount: this.#problemCount,
      notes: this.#notes,
      openIntents: [...this.#intents.values()],
      recordsAfterExpected: this.#expectedAt === undefined ? undefined : this.#records - this.#expectedAt,
    };
  }

  #breakBefore({ seq, previous }: ChainLink): string | undefined {
    const last = this.#last;
    if (last === undefined || this.#lost || (seq === last.seq + 1 && previous === last.hash)) return undefined;
    if (seq > last.seq + 1) return `records ${last.seq + 1} to ${seq - 1} are missing before this line`;
    if (seq <= last.seq) return `record ${seq} follows record ${last.seq}`;
    return `record ${seq} does not continue record ${last.seq}: one of them was replaced`;
  }

  #advance({ seq, hash, previous }: ChainLink): void {
    this.#first ??= { seq: seq - 1, hash: previous };
    this.#last = { seq, hash };
    if (hash === this.#expectedHash) this.#expectedAt = this.#records;
  }

  /** Returns whether the line can be read. */
  #content(bytes: Uint8Array, { event }: ChainLink, at: Omit<AuditFinding, "message">): boolean {
    const record = jsonIn(new TextDecoder().decode(bytes)) as AuditRecord | undefined;
    if (record === undefined) return false;
    const { id, time, operation, user } = record;
    if (event !== undefined) this.#notes.push({ ...at, message: `${time}: ${record.message}` });
    else if (record.stage === "intent") this.#intents.set(id, { id, time, operation, user });
    else this.#intents.delete(id);
    return true;
  }

  #problem(finding: AuditFinding): void {
    this.#problemCount += 1;
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(finding);
  }
}

/** The current file, if a full one is the last that is verified and there is none beside it. */
async function missingBehind(last: string | undefined): Promise<Trail["end"]> {
  const current = last && currentOf(last);
  if (current === undefined || current === last || (await isThere(current))) return undefined;
  return { file: current, message: "the file is not there: how the trail ends is not verified", isProblem: false };
}

/** Fault of a file's first record, taken alone. */
function wrongBeginning({ seq, previous }: ChainLink, file: string): string | undefined {
  const named = firstSeqOf(file);
  if (named !== undefined && named !== seq) {
    return `the file begins with record ${seq}, by its name it should be ${named}`;
  }
  return seq === 1 && previous !== GENESIS.hash ? "record 1 does not begin a chain" : undefined;
}

/** A finding on one line: `audit.jsonl:12: ...`, or `audit.jsonl: ...`. */
export function printFinding({ file, line, message }: AuditFinding): string {
  return `${basename(file)}:${line > 0 ? `${line}:` : ""} ${message}`;
}
