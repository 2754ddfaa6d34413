import { readdir } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { ifThere } from "./disk.ts";

const SEQ_DIGITS = 12;

const FULL_FILE = /\.(\d{12,})(\.[^.]*)?$/;

/** Number of the first record in a full file of any trail, by its name or path; undefined for any other. */
export function firstSeqOf(path: string): number | undefined {
  const digits = FULL_FILE.exec(path)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Name or path of the current file of the trail that a file belongs to. */
export function currentOf(path: string): string {
  return path.replace(FULL_FILE, "$2");
}

/**
 * The files of an audit trail: the current one, `audit.jsonl`, and the full ones, named after their first record:
 * `audit.000000000001.jsonl`, `audit.000000031416.jsonl`. Names of full files never change.
 */
export class FileSet {
  readonly current: string;
  readonly folder: string;
  readonly #stem: string;
  readonly #extension: string;

  constructor(path: string) {
    this.current = path;
    this.folder = dirname(path);
    this.#extension = extname(path);
    this.#stem = basename(path, this.#extension);
  }

  /** Path of a full file whose first record has this sequence number. */
  full(firstSeq: number): string {
    return this.#numbered(firstSeq, this.#extension);
  }

  /** Path of the empty file that becomes the current one; it exists only during a rotation. */
  get next(): string {
    return join(this.folder, `${this.#stem}.next`);
  }

  /** Path of the file with a torn line; `seq` is the record of that event. */
  torn(seq: number): string {
    return this.#numbered(seq, ".torn");
  }

  /** Path of an older file that stood in place of the current one; `seq` is the record of that event. */
  outdated(seq: number): string {
    return this.#numbered(seq, ".outdated");
  }

  /** Paths of the full files, in the order of the chain. */
  async allFull(): Promise<string[]> {
    const entries = await ifThere(readdir(this.folder, { withFileTypes: true }));
    const numbered = (entries ?? []).flatMap((entry) => {
      const seq = entry.isFile() ? this.seqOf(entry.name) : undefined;
      return seq === undefined ? [] : [{ seq, path: join(this.folder, entry.name) }];
    });
    return numbered.toSorted((a, b) => a.seq - b.seq).map(({ path }) => path);
  }

  /** Number of the first record of the last full file; 0 if there is none. */
  async lastFullSeq(): Promise<number> {
    const last = (await this.allFull()).at(-1);
    return last === undefined ? 0 : (this.seqOf(last) ?? 0);
  }

  #numbered(seq: number, extension: string): string {
    return join(this.folder, `${this.#stem}.${String(seq).padStart(SEQ_DIGITS, "0")}${extension}`);
  }

  /** The first record of a full file of this trail, by its name or path; undefined for any other. */
  seqOf(path: string): number | undefined {
    return currentOf(basename(path)) === basename(this.current) ? firstSeqOf(path) : undefined;
  }
}
