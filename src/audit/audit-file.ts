import { harmlessLog } from "../core/host-calls.ts";
import { type Logger, processWarnings } from "../core/logger.ts";
import { COUNT, ifGiven, integer, LOGGER, optionsOf, textLike } from "../core/options.ts";
import type { AuditRecord, AuditSink, AuditStage } from "../core/records/record.ts";
import { messageOf } from "../core/values/basics.ts";
import type { ChainPosition } from "./chain.ts";
import { CurrentFile } from "./current-file.ts";
import { AuditFileError, finalPath, isRegularFile, otherNames } from "./disk.ts";
import { FileLock } from "./file-lock.ts";
import { FileSet } from "./file-set.ts";
import { leftOut, recordsUpTo } from "./past-records.ts";

export interface AuditFileOptions {
  /** Path of the current file, for example `/var/log/gateway/audit.jsonl`. Its folder must exist, on a local disk. */
  readonly path: string;
  /** Size in bytes at which the file is rotated; 64 MiB unless given. */
  readonly maxFileBytes?: number;
  /** Number of files kept, including the current one, at least 2; all unless given. */
  readonly maxFiles?: number;
  /** Is told of rotations and of faults found in the file; without it, faults become warnings of the process. */
  readonly log?: Logger;
}

const checked = optionsOf<AuditFileOptions>("openAuditFile", {
  path: textLike('"audit.jsonl"'),
  maxFileBytes: ifGiven(COUNT),
  maxFiles: ifGiven(integer({ min: 2, max: Number.MAX_SAFE_INTEGER })),
  log: ifGiven(LOGGER),
});

const DEFAULT_FILE_BYTES = 64 * 1024 * 1024;

/** Limits on records that wait for the disk: a disk that hangs must not fill the memory. */
interface Capacity {
  readonly records: number;
  readonly bytes: number;
}

const CHANGES: Capacity = { records: 10_000, bytes: 64 * 1024 * 1024 };

const STOPS: Capacity = { records: 2_000, bytes: 16 * 1024 * 1024 };

/** Callers can cause any number of these, so they have a separate limit. */
const REFUSALS: Capacity = { records: 2_000, bytes: 16 * 1024 * 1024 };
const REFUSAL_STAGES: ReadonlySet<AuditStage> = new Set(["denied", "invalid", "login-refused", "login-throttled"]);

const ELSEWHERE = "give openAuditFile a `log` to have this elsewhere";

/** Bytes in one write: a stop waits for those that are being written, and they are hashed in one piece. */
const MAX_GROUP_BYTES = 512 * 1024;

/** Bytes that the chain adds to a record, at most. */
const LINK_BYTES = 192;

/** Waiting records of one capacity. */
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
 * An audit sink that keeps its records in a file: JSON Lines, chained by hashes, durable when `write` settles. The format is described in
 * `docs/reference/audit-records.md`.
 */
export interface AuditFile extends AuditSink {
  /** Path of the current file, without symbolic links. */
  readonly path: string;
  /** Position of the last durable record. Its hash, stored elsewhere, proves that no earlier record was removed. */
  readonly last: ChainPosition;
  /** The records that it and its full files had when it was opened, in their order; nothing is read before that is asked for. */
  readonly history: AsyncIterable<AuditRecord>;
  /** Resolves when the record is durable; rejects with {@link AuditFileError} if it cannot be kept. */
  write(record: AuditRecord): Promise<void>;
  /** Writes pending records and releases the file. */
  close(): Promise<void>;
}

/**
 * Opens an audit file and continues where its chain ends; creates the file if it does not exist. Rejects with
 * {@link AuditFileError} when the file cannot be used or another process holds it.
 *
 * @example
 * const audit = await openAuditFile({ path: "/var/log/gateway/audit.jsonl" });
 * const api = new AdminApi({ transport, audit });
 */
export async function openAuditFile(options: AuditFileOptions): Promise<AuditFile> {
  const { maxFileBytes = DEFAULT_FILE_BYTES, maxFiles, log: given } = checked(options);
  const log = given ? harmlessLog(given) : processWarnings(ELSEWHERE);
  const path = await finalPath(options.path);
  await isRegularFile(path);
  const lock = await FileLock.take(path);
  const current = new CurrentFile(new FileSet(path), { maxFileBytes, maxFiles, log });
  try {
    // Opens the file, and records faults found in it.
    await current.append([]);
    warnOfLinks(await otherNames(path), path, log);
  } catch (cause) {
    await current.close();
    await lock.release();
    throw cause instanceof AuditFileError
      ? cause
      : new AuditFileError(path, `cannot be opened: ${messageOf(cause)}`, { cause });
  }
  const history = recordsUpTo(current.last.seq, path, leftOut(log));
  return new GroupedAuditFile(path, current, lock, history, Math.min(maxFileBytes, MAX_GROUP_BYTES));
}

/** A lock is that of a name. */
function warnOfLinks(others: number, file: string, log: Logger): void {
  if (others === 0) return;
  const names = others === 1 ? "1 other name (hard link) leads" : `${others} other names (hard links) lead`;
  log.warn(`Audit file: ${names} to it, under which another gateway could write it`, { file });
}

/** Keeps the end of a chain, as {@link CurrentFile} does. */
interface ChainKeeper {
  readonly last: ChainPosition;
  /** Appends records, each the members of a JSON object, and resolves when they are durable; all of them are kept, or none. */
  append(records: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** An {@link AuditFile} with group commit: records that arrive during a write are written together. */
export class GroupedAuditFile implements AuditFile {
  readonly path: string;
  readonly history: AsyncIterable<AuditRecord>;
  readonly #current: ChainKeeper;
  readonly #lock: Pick<FileLock, "release">;
  readonly #maxGroupBytes: number;
  /** Records of stops are written first. */
  readonly #waitingStops: Waiting[] = [];
  readonly #waiting: Waiting[] = [];
  readonly #stops: Room = { capacity: STOPS, records: 0, bytes: 0 };
  readonly #changes: Room = { capacity: CHANGES, records: 0, bytes: 0 };
  readonly #refusals: Room = { capacity: REFUSALS, records: 0, bytes: 0 };
  #writing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(
    path: string,
    current: ChainKeeper,
    lock: Pick<FileLock, "release">,
    history: AsyncIterable<AuditRecord>,
    maxGroupBytes: number = MAX_GROUP_BYTES,
  ) {
    this.path = path;
    this.history = history;
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
    const room = this.#roomFor(record);
    if (room.records >= room.capacity.records || room.bytes >= room.capacity.bytes) {
      throw new AuditFileError(this.path, `${room.records} records wait for the disk, no more are taken`);
    }
    return new Promise((resolve, reject) => {
      const bytes = Buffer.byteLength(members) + LINK_BYTES;
      const queue = room === this.#stops ? this.#waitingStops : this.#waiting;
      queue.push({ room, members, bytes, resolve, reject });
      room.records += 1;
      room.bytes += bytes;
      this.#writing ??= this.#writeAll();
    });
  }

  #roomFor({ stage, lane }: AuditRecord): Room {
    if (REFUSAL_STAGES.has(stage)) return this.#refusals;
    return lane === "stop" ? this.#stops : this.#changes;
  }

  /** Writes accepted records, then releases the file. */
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
    while (this.#waitingStops.length + this.#waiting.length > 0) {
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
    const group: Waiting[] = [];
    let bytes = 0;
    for (const queue of [this.#waitingStops, this.#waiting]) {
      const tooMuch = queue.findIndex((record, index) => {
        bytes += record.bytes;
        return group.length + index > 0 && bytes > this.#maxGroupBytes;
      });
      group.push(...queue.splice(0, tooMuch < 0 ? queue.length : tooMuch));
    }
    for (const { room, bytes: taken } of group) {
      room.records -= 1;
      room.bytes -= taken;
    }
    return group;
  }
}
