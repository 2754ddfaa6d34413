import { type FileHandle, open, stat } from "node:fs/promises";
import { ifThere } from "./disk.ts";
import { FileSet } from "./file-set.ts";
import { contentOf, type FiledRecord, recordsOf, type UnreadableLine } from "./read-records.ts";

const CHUNK_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;

/**
 * Reads new records of an audit trail, across rotations. `read` checks the file: that works on every file system, and costs one
 * `stat`.
 */
export class TrailFollower {
  readonly #set: FileSet;
  readonly #onUnreadable: (line: UnreadableLine) => void;
  #handle: FileHandle | undefined;
  #inode: number | undefined;
  #offset = 0;
  /** The beginning of an incomplete line. */
  #rest: Buffer = Buffer.alloc(0);
  #lastSeq: number;

  /** Follows the trail whose current file is `path`, from the record after `lastSeq` on. */
  constructor(path: string, lastSeq: number, onUnreadable: (line: UnreadableLine) => void) {
    this.#set = new FileSet(path);
    this.#lastSeq = lastSeq;
    this.#onUnreadable = onUnreadable;
  }

  /** Returns the records added since the last call; none if the current file does not exist. */
  async read(): Promise<FiledRecord[]> {
    const inode = (await ifThere(stat(this.#set.current)))?.ino;
    if (inode === this.#inode) return this.#handle ? this.#added(this.#handle) : [];
    const records = this.#handle ? await this.#added(this.#handle) : [];
    await this.close();
    return [...records, ...(await this.#missed()), ...(await this.#begin(inode))];
  }

  async close(): Promise<void> {
    await this.#handle?.close();
    this.#handle = undefined;
    this.#inode = undefined;
  }

  /** Records of files that were begun and filled between two calls. */
  async #missed(): Promise<FiledRecord[]> {
    const records: FiledRecord[] = [];
    for (const file of (await this.#set.allFull()).toReversed()) {
      const found: FiledRecord[] = [];
      for await (const filed of recordsOf(file, this.#onUnreadable)) if (filed.seq > this.#lastSeq) found.push(filed);
      if (found.length === 0) break;
      records.unshift(...found);
    }
    this.#lastSeq = records.at(-1)?.seq ?? this.#lastSeq;
    return records;
  }

  async #begin(inode: number | undefined): Promise<FiledRecord[]> {
    if (inode === undefined) return [];
    this.#handle = await open(this.#set.current);
    this.#inode = (await this.#handle.stat()).ino;
    this.#offset = 0;
    this.#rest = Buffer.alloc(0);
    return this.#added(this.#handle);
  }

  async #added(handle: FileHandle): Promise<FiledRecord[]> {
    const records: FiledRecord[] = [];
    for (;;) {
      const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(CHUNK_BYTES), position: this.#offset });
      if (bytesRead === 0) return records;
      this.#offset += bytesRead;
      records.push(...this.#complete(buffer.subarray(0, bytesRead)));
    }
  }

  #complete(chunk: Buffer): FiledRecord[] {
    const records: FiledRecord[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      const content = contentOf(Buffer.concat([this.#rest, chunk.subarray(start, end)]));
      this.#rest = Buffer.alloc(0);
      start = end + 1;
      if (content === undefined) continue;
      if ("problem" in content) this.#onUnreadable({ file: this.#set.current, line: 0, problem: content.problem });
      else if (content.seq > this.#lastSeq) {
        records.push(content);
        this.#lastSeq = content.seq;
      }
    }
    this.#rest = Buffer.concat([this.#rest, chunk.subarray(start)]);
    return records;
  }
}
