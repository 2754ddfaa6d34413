import { type FileHandle, readFile, rename } from "node:fs/promises";
import { basename } from "node:path";
import { microsecondTimestamps } from "../core/clock.ts";
import type { Logger } from "../core/logger.ts";
import { messageOf } from "../core/values/basics.ts";
import { type ChainPosition, chainLines, GENESIS, sha256 } from "./chain.ts";
import { AuditFileError, copyTail, foreignChange, ifThere, isRegularFile, openToAppend } from "./disk.ts";
import type { FileSet } from "./file-set.ts";
import { type Inspection, inspect } from "./inspection.ts";
import { finishRotation, removeOldest, rotateFiles } from "./rotation.ts";

export interface CurrentFileOptions {
  readonly maxFileBytes: number;
  /** Number of files kept, including the current one. */
  readonly maxFiles: number | undefined;
  readonly log: Logger;
}

const NEW_FILE: Inspection = {
  firstSeq: undefined,
  last: undefined,
  completeBytes: 0,
  tornBytes: 0,
  damage: undefined,
};

/**
 * The end of the chain on disk. One group of records is appended at a time; on failure, the file is rolled back. Any step that
 * a crash interrupts is detected and completed when the file is next opened.
 */
export class CurrentFile {
  readonly #files: FileSet;
  readonly #options: CurrentFileOptions;
  readonly #timestamp = microsecondTimestamps(Date.now, () => performance.now());
  #handle: FileHandle | undefined;
  #chain: ChainPosition | undefined;
  #size = 0;
  #firstSeq: number | undefined;
  /** The end of the file may have bytes of a failed group. */
  #untidy = false;
  #rotationFails = false;
  /** Events to be recorded before the next record. */
  #events: readonly FileEvent[] = [];

  constructor(files: FileSet, options: CurrentFileOptions) {
    this.#files = files;
    this.#options = options;
  }

  /** Position of the last durable record. */
  get last(): ChainPosition {
    return this.#chain ?? GENESIS;
  }

  /** Appends records, each the members of a JSON object, and resolves when they are durable; all of them are kept, or none. */
  async append(records: readonly string[]): Promise<void> {
    const ready = await this.#ready();
    const events = this.#events;
    const { text, at, firstSeq } = chainLines(this.last, [
      ...events.map((event) => JSON.stringify(event).slice(1, -1)),
      ...records,
    ]);
    if (text === "") return;
    const bytes = Buffer.from(text);
    const full = this.#size > 0 && this.#size + bytes.length > this.#options.maxFileBytes;
    await this.#write(full ? await this.#rotate(ready) : ready, bytes);
    this.#chain = at;
    this.#size += bytes.length;
    this.#firstSeq ??= firstSeq;
    this.#events = this.#events.filter((event) => !events.includes(event));
  }

  async close(): Promise<void> {
    await this.#handle?.close();
    this.#handle = undefined;
  }

  async #ready(): Promise<FileHandle> {
    const handle = this.#handle;
    if (handle === undefined) return this.#open();
    if (this.#untidy) await this.#tidy(handle);
    const change = await foreignChange(handle, this.#files.current, this.#size);
    if (change === undefined) return handle;
    this.#options.log.warn(`Audit file: ${change}`, { file: this.#files.current });
    this.#events = [...this.#events, this.#event("disturbed", change)];
    await this.close();
    return this.#open();
  }

  async #open(): Promise<FileHandle> {
    const { current, folder } = this.#files;
    const isThere = await finishRotation(this.#files);
    const found = await this.#inspected();
    const chain = this.#chain ?? found.last ?? (await this.#lastOfFull()) ?? GENESIS;
    if (!isThere && this.#chain === undefined && chain.seq > 0) this.#missing(chain);
    const handle = await openToAppend(current, folder);
    try {
      if (found.tornBytes > 0) await this.#cutTorn(handle, found.completeBytes, this.#files.torn(chain.seq + 1));
      const torn = await tornEvent(this.#files.torn(chain.seq + 1), this.#timestamp());
      this.#found(torn, found.damage);
    } catch (error) {
      await handle.close();
      throw error;
    }
    this.#chain = chain;
    this.#size = found.completeBytes;
    this.#firstSeq = found.firstSeq;
    this.#untidy = false;
    this.#handle = handle;
    return handle;
  }

  /** Inspects the current file, and puts it away if a full one has later records, as where a backup was restored: it could never be rotated. */
  async #inspected(): Promise<Inspection> {
    const { current } = this.#files;
    const found = (await isRegularFile(current)) ? await inspect(current) : NEW_FILE;
    const { firstSeq, last } = found;
    if (!last || !firstSeq || (await this.#files.lastFullSeq()) < firstSeq) return found;
    const full = await this.#lastOfFull();
    if (!full || full.seq < last.seq) return found;
    const keptIn = this.#files.outdated(full.seq + 1);
    await rename(current, keptIn);
    const message =
      `an older file was in its place, which ended with record ${last.seq}, though a full file ends with record ${full.seq}; it is kept in ` +
      `${basename(keptIn)}, and what was recorded after record ${(this.#chain ?? full).seq} is gone`;
    this.#options.log.warn(`Audit file: ${message}`, { file: current });
    this.#events = [...this.#events, this.#event("disturbed", message)];
    return NEW_FILE;
  }

  #missing({ seq }: ChainPosition): void {
    const message = `the file was missing at the start: what was recorded after record ${seq} is gone`;
    this.#options.log.warn(`Audit file: ${message}`, { file: this.#files.current });
    this.#events = [this.#event("disturbed", message)];
  }

  async #lastOfFull(): Promise<ChainPosition | undefined> {
    for (const path of (await this.#files.allFull()).toReversed()) {
      const { last } = await inspect(path);
      if (last !== undefined) return last;
    }
    return undefined;
  }

  /** Saves a torn line before it is truncated: it is evidence, although it was never acknowledged. */
  async #cutTorn(handle: FileHandle, completeBytes: number, keptIn: string): Promise<void> {
    await copyTail(this.#files.current, completeBytes, keptIn, this.#files.folder);
    await handle.truncate(completeBytes);
    await handle.sync();
  }

  #found(torn: FileEvent | undefined, damage: Inspection["damage"]): void {
    const file = this.#files.current;
    if (torn) {
      this.#events = [torn, ...this.#events];
      this.#options.log.warn(`Audit file: ${torn.message}`, { file });
    }
    if (damage) {
      const message = `the chain is broken at line ${damage.line}: ${damage.problem}`;
      this.#events = [...this.#events, { ...this.#event("damaged", message), line: damage.line }];
      this.#options.log.warn(`Audit file: ${message}; it continues after its last intact record`, { file });
    }
  }

  #event(event: FileEvent["event"], message: string): FileEvent {
    return { event, time: this.#timestamp(), message };
  }

  async #write(handle: FileHandle, bytes: Uint8Array): Promise<void> {
    try {
      await handle.appendFile(bytes);
      await handle.datasync();
    } catch (cause) {
      this.#untidy = true;
      const error = new AuditFileError(this.#files.current, `cannot be written: ${messageOf(cause)}`, { cause });
      await this.#tidy(handle).catch((second: unknown) => {
        throw new AggregateError([error, second], messageOf(second));
      });
      throw error;
    }
  }

  /** Removes the bytes of a failed group. Nothing is written until that succeeds. */
  async #tidy(handle: FileHandle): Promise<void> {
    try {
      if ((await handle.stat()).size > this.#size) await handle.truncate(this.#size);
      await handle.datasync();
      this.#untidy = false;
    } catch (cause) {
      const problem = `cannot be brought back to its last good state: ${messageOf(cause)}`;
      throw new AuditFileError(this.#files.current, problem, { cause });
    }
  }

  /** Renames the full file and begins the next; on failure, the full one stays in use. */
  async #rotate(handle: FileHandle): Promise<FileHandle> {
    const full = this.#files.full(this.#firstSeq ?? this.last.seq + 1);
    try {
      await rotateFiles(this.#files, full);
    } catch (error) {
      if (!this.#rotationFails)
        this.#options.log.warn(`Audit file: cannot be rotated: ${messageOf(error)}`, { file: full });
      this.#rotationFails = true;
      return handle;
    }
    this.#rotationFails = false;
    await this.close();
    const next = await this.#open();
    this.#options.log.info("Audit file: full, a new one was begun", { file: full, ...this.last });
    await removeOldest(this.#files, this.#options.maxFiles, this.#options.log);
    return next;
  }
}

/**
 * An event of the file itself, as recorded in the chain: `torn` if an incomplete line was removed after a crash, `damaged` if the chain
 * was broken at opening, `disturbed` if another process moved, replaced or changed the file while it was in use, or removed it
 * before.
 */
export interface FileEvent {
  readonly event: "torn" | "damaged" | "disturbed";
  readonly time: string;
  readonly message: string;
  /** File with the torn line. */
  readonly file?: string;
  /** Size and SHA-256 of the torn line. */
  readonly bytes?: number;
  readonly sha256?: string;
  /** Line at which the chain is broken. */
  readonly line?: number;
}

/** The event of a torn line that was saved to a file; undefined if the file does not exist. */
async function tornEvent(keptIn: string, time: string): Promise<FileEvent | undefined> {
  const torn = await ifThere(readFile(keptIn));
  if (torn === undefined) return undefined;
  const file = basename(keptIn);
  return {
    event: "torn",
    time,
    message: `a torn line of ${torn.length} bytes was cut off the end and is kept in ${file}`,
    file,
    bytes: torn.length,
    sha256: sha256(torn),
  };
}
