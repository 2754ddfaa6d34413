import { type FileHandle, open, stat } from "node:fs/promises";
import { ifThere } from "./disk.ts";
import { FileSet } from "./file-set.ts";

/** A gateway reads its own trail with it: what is looked through in one piece is small. */
const CHUNK_BYTES = 256 * 1024;
const LINE_FEED = 0x0a;

export interface TrailLine {
  /** Its bytes without the line end. */
  readonly bytes: Buffer;
  /** The name that the file had when it was opened, and the number of the line in it. */
  readonly file: string;
  readonly number: number;
}

/** A file of the trail, open from its first line on. */
interface OpenFile {
  readonly path: string;
  readonly handle: FileHandle;
  readonly inode: number;
}

/** Position of a reader in a trail, and how far it may read. */
export interface LinePlace {
  lastSeq(): number;
  /** Whether a line may be read now; if not, it is looked at again later. All may be unless it is given. */
  isReadable?(line: Buffer): boolean;
}

/**
 * Reads the lines that are added to an audit trail, in order and across rotations. It checks the file when it is asked: that works on
 * every file system, and costs one `stat`. Lines up to `lastSeq` may be among them.
 */
export class LineFollower {
  readonly #set: FileSet;
  readonly #place: LinePlace;
  /** Open files that come after the one that is read. */
  readonly #next: OpenFile[] = [];
  #file: OpenFile | undefined;
  /** Where in the file the lines begin that have not been read. */
  #offset = 0;
  #number = 0;
  #lines: Buffer[] = [];
  #chunkBytes = CHUNK_BYTES;

  /** Follows the trail whose current file is `path`, from the file on that has the record after `lastSeq`. */
  constructor(path: string, place: LinePlace) {
    this.#set = new FileSet(path);
    this.#place = place;
  }

  /** The next complete line, without its line end; undefined while there is none. */
  async next(): Promise<TrailLine | undefined> {
    for (;;) {
      const bytes = this.#lines.shift();
      if (bytes && this.#file) {
        this.#number += 1;
        return { bytes, file: this.#file.path, number: this.#number };
      }
      if (!(await this.#fill()) && !(await this.#advance())) return undefined;
    }
  }

  async close(): Promise<void> {
    const files = [this.#file, ...this.#next.splice(0)];
    this.#file = undefined;
    this.#lines = [];
    for (const file of files) await file?.handle.close();
  }

  /** Reads on in the file at hand; false if there is nothing more now. */
  async #fill(): Promise<boolean> {
    if (!this.#file) return false;
    const buffer = Buffer.alloc(this.#chunkBytes);
    const { bytesRead } = await this.#file.handle.read({ buffer, position: this.#offset });
    const { lines, bytes } = this.#split(buffer.subarray(0, bytesRead));
    this.#offset += bytes;
    this.#lines = lines;
    const isTooLong = lines.length === 0 && bytesRead === this.#chunkBytes && buffer.indexOf(LINE_FEED) < 0;
    this.#chunkBytes = isTooLong ? 2 * this.#chunkBytes : CHUNK_BYTES;
    return lines.length > 0 || isTooLong;
  }

  #split(chunk: Buffer): { readonly lines: Buffer[]; readonly bytes: number } {
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      const line = chunk.subarray(start, end);
      if (this.#place.isReadable?.(line) === false) break;
      lines.push(line);
      start = end + 1;
    }
    return { lines, bytes: start };
  }

  /** Continues with the next file, or with what was added to the current one before it was full; false if there is neither. */
  async #advance(): Promise<boolean> {
    if (this.#next.length === 0) {
      const inode = (await ifThere(stat(this.#set.current)))?.ino;
      if (this.#file && inode === this.#file.inode) return false;
      // What was added between the last look and the rotation.
      if (await this.#fill()) return true;
      await this.#findNext();
    }
    const next = this.#next.shift();
    if (!next) return false;
    await this.#file?.handle.close();
    this.#file = next;
    this.#offset = 0;
    this.#number = 0;
    return true;
  }

  /** Opens the current file first: if that is full meanwhile, it is among the full ones, too, and its lines come twice. */
  async #findNext(): Promise<void> {
    const current = await opened(this.#set.current);
    const full = await this.#set.allFull();
    const needed = full.filter((_path, index) => {
      const next = full[index + 1];
      return next === undefined || (this.#set.seqOf(next) ?? 0) > this.#place.lastSeq() + 1;
    });
    for (const path of needed) {
      const file = await opened(path);
      if (file && file.inode === this.#file?.inode) await file.handle.close();
      else if (file) this.#next.push(file);
    }
    if (current) this.#next.push(current);
  }
}

async function opened(path: string): Promise<OpenFile | undefined> {
  const handle = await ifThere(open(path));
  return handle && { path, handle, inode: (await handle.stat()).ino };
}
