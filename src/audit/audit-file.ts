import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Logger } from "../core/logger.ts";
import type { AuditRecord, AuditSink, AuditStage } from "../core/records/record.ts";
import { messageOf } from "../core/values/basics.ts";
import type { ChainPosition } from "./chain.ts";
import { CurrentFile } from "./current-file.ts";
import { AuditFileError, isMissing, isRegularFile } from "./disk.ts";
import { FileLock } from "./file-lock.ts";
import { FileSet } from "./file-set.ts";

/** Where and how an audit file is kept. */
export interface AuditFileOptions {
  /** Path of the current file, for example `/var/log/gateway/audit.jsonl`. Its folder has to be there, on a local disk. */
  readonly path: string;
  /** Size in bytes at which a new file is begun; 64 MiB unless given. */
  readonly maxFileBytes?: number;
  /** How many files are kept, the current one included, at least 2; all unless given. */
  readonly maxFiles?: number;
  /** Called for rotations and for what was found wrong with the file. */
  readonly log?: Logger;
}

const DEFAULT_FILE_BYTES = 64 * 1024 * 1024;

/** Records that may wait for the disk, and what they may come to. Beyond that a disk that hangs would fill the memory. */
interface Capacity {
  readonly records: number;
  readonly bytes: number;
}

const MUTATIONS: Capacity = { records: 10_000, bytes: 64 * 1024 * 1024 };

/** Callers make as many of these as they like; they must not take the room of the others. */
const REFUSALS: Capacity = { records: 2_000, bytes: 16 * 1024 * 1024 };
const REFUSAL_STAGES: ReadonlySet<AuditStage> = new Set(["denied", "invalid", "login-refused", "login-throttled"]);

const MAX_GROUP_BYTES = 4 * 1024 * 1024;

/** What a place in the chain adds to a record, at most. */
const LINK_BYTES = 192;

/** What waits of records that have a capacity of their own. */
interface Room {
  readonly capacity: Capacity;
  records: number;
  bytes: number;
}

interface Waiting {
  readonly room: Room;
  /** The record as the members of a JSON object. */
  readonly members: string;
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * An audit sink that keeps its records in a file: JSON Lines, chained by hashes, durable when `write` settles (decisions
 * D-LOG 2, D-LOG 4). The format is described in `docs/reference/audit-records.md`.
 */
export interface AuditFile extends AuditSink {
  /** Path of the current file, without symbolic links. */
  readonly path: string;
  /** Position of the last durable record. Noted elsewhere, its hash proves that no record before it was removed. */
  readonly last: ChainPosition;
  /** Settles when the record is durable; rejects with {@link AuditFileError} when it is not kept. */
  write(record: AuditRecord): Promise<void>;
  /** Keeps what is under way and lets go of the file. */
  close(): Promise<void>;
}

const NO_LOG: Logger = { info: () => {}, warn: () => {}, error: () => {} };

/**
 * Opens an audit file and continues where its chain ends; creates the file if it does not exist. Rejects with
 * {@link AuditFileError} when the file cannot be used or another process holds it.
 *
 * @example
 * const audit = await openAuditFile({ path: "/var/log/gateway/audit.jsonl" });
 * const api = new AdminApi({ transport, audit });
 */
export async function openAuditFile(options: AuditFileOptions): Promise<AuditFile> {
  const { maxFileBytes = DEFAULT_FILE_BYTES, maxFiles, log = NO_LOG } = options;
  if (!(maxFileBytes > 0)) throw new RangeError(`maxFileBytes must be above 0, is ${maxFileBytes}`);
  if (maxFiles !== undefined && !(maxFiles >= 2)) throw new RangeError(`maxFiles must be 2 or more, is ${maxFiles}`);
  const path = await finalPath(options.path);
  await isRegularFile(path);
  const lock = await FileLock.take(path);
  const current = new CurrentFile(new FileSet(path), { maxFileBytes, maxFiles, log });
  try {
    // Opens the file, and records what was found there.
    await current.append([]);
  } catch (cause) {
    await current.close();
    await lock.release();
    throw cause instanceof AuditFileError
      ? cause
      : new AuditFileError(path, `cannot be opened: ${messageOf(cause)}`, { cause });
  }
  return new GroupedAuditFile(path, current, lock, Math.min(maxFileBytes, MAX_GROUP_BYTES));
}

/** An {@link AuditFile} whose records that come while others are on their way to the disk are written together. */
class GroupedAuditFile implements AuditFile {
  readonly path: string;
  readonly #current: CurrentFile;
  readonly #lock: FileLock;
  readonly #maxGroupBytes: number;
  #waiting: Waiting[] = [];
  readonly #mutations: Room = { capacity: MUTATIONS, records: 0, bytes: 0 };
  readonly #refusals: Room = { capacity: REFUSALS, records: 0, bytes: 0 };
  #writing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(path: string, current: CurrentFile, lock: FileLock, maxGroupBytes: number) {
    this.path = path;
    this.#current = current;
    this.#lock = lock;
    this.#maxGroupBytes = maxGroupBytes;
  }

  get last(): ChainPosition {
    return this.#current.last;
  }

  async write(record: AuditRecord): Promise<void> {
    const members = JSON.stringify(record).slice(1, -1);
    if (this.#closing) throw new AuditFileError(this.path, "is closed");
    const room = REFUSAL_STAGES.has(record.stage) ? this.#refusals : this.#mutations;
    if (room.records >= room.capacity.records || room.bytes >= room.capacity.bytes) {
      throw new AuditFileError(this.path, `${room.records} records wait for the disk, no more are taken`);
    }
    return new Promise((resolve, reject) => {
      const bytes = Buffer.byteLength(members) + LINK_BYTES;
      this.#waiting.push({ room, members, bytes, resolve, reject });
      room.records += 1;
      room.bytes += bytes;
      this.#writing ??= this.#writeAll();
    });
  }

  /** Writes what was taken, then lets go of the file. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#writing;
    try {
      await this.#current.close();
    } finally {
      await this.#lock.release();
    }
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#takeGroup();
      try {
        await this.#current.append(group.map(({ members }) => members));
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#writing = undefined;
  }

  #takeGroup(): Waiting[] {
    let bytes = 0;
    const tooMuch = this.#waiting.findIndex((record, index) => {
      bytes += record.bytes;
      return index > 0 && bytes > this.#maxGroupBytes;
    });
    const group = this.#waiting.splice(0, tooMuch < 0 ? this.#waiting.length : tooMuch);
    for (const { room, bytes: taken } of group) {
      room.records -= 1;
      room.bytes -= taken;
    }
    return group;
  }
}

/** The path without symbolic links: one file has one lock and is rotated where it is. */
async function finalPath(path: string): Promise<string> {
  const absolute = resolve(path);
  try {
    return await realpath(absolute);
  } catch (error) {
    if (!isMissing(error))
      throw new AuditFileError(absolute, `cannot be opened: ${messageOf(error)}`, { cause: error });
  }
  try {
    return join(await realpath(dirname(absolute)), basename(absolute));
  } catch (cause) {
    throw new AuditFileError(absolute, "its folder does not exist; create it", { cause });
  }
}
