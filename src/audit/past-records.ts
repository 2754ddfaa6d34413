import { type FileHandle, open } from "node:fs/promises";
import type { Logger } from "../core/logger.ts";
import type { AuditRecord } from "../core/records/record.ts";
import { ifThere, isMissing } from "./disk.ts";
import { FileSet } from "./file-set.ts";
import { type FiledRecord, recordsOf, type UnreadableLine } from "./read-records.ts";

type OnUnreadable = (line: UnreadableLine) => void;

/**
 * The records that an audit trail has now, in their order; `path` is that of its current file. What is written later is not among them,
 * and a rotation does no harm. Unreadable lines are passed to `onUnreadable` and skipped, as are full files that are removed meanwhile.
 */
export async function pastRecords(path: string, onUnreadable: OnUnreadable): Promise<AsyncIterable<AuditRecord>> {
  return withoutPlaces(await filedRecords(path, onUnreadable));
}

/** The records of a trail up to that number, as {@link pastRecords} has them; no file is open before they are asked for. */
export function recordsUpTo(last: number, path: string, onUnreadable: OnUnreadable): AsyncIterable<AuditRecord> {
  return {
    async *[Symbol.asyncIterator]() {
      for await (const { seq, record } of await filedRecords(path, onUnreadable)) if (seq <= last) yield record;
    },
  };
}

/** Writes to the log that a line cannot be read as a record. */
export function leftOut(log: Logger): OnUnreadable {
  return ({ file, line, problem }) =>
    log.warn("Audit file: a line was left out of what is known from earlier", { file, line, problem });
}

async function filedRecords(path: string, onUnreadable: OnUnreadable): Promise<AsyncIterable<FiledRecord>> {
  const full = await new FileSet(path).allFull();
  const current = await ifThere(open(path));
  const bytes = (await current?.stat())?.size ?? 0;
  return inOrder(full, current, bytes, onUnreadable);
}

async function* withoutPlaces(records: AsyncIterable<FiledRecord>): AsyncGenerator<AuditRecord> {
  for await (const { record } of records) yield record;
}

async function* inOrder(
  full: readonly string[],
  current: FileHandle | undefined,
  bytes: number,
  onUnreadable: OnUnreadable,
): AsyncGenerator<FiledRecord> {
  try {
    for (const file of full) yield* recordsIn(file, onUnreadable);
    if (current && bytes > 0) yield* recordsOf({ handle: current, bytes }, onUnreadable);
  } finally {
    await current?.close();
  }
}

async function* recordsIn(file: string, onUnreadable: OnUnreadable): AsyncGenerator<FiledRecord> {
  try {
    yield* recordsOf(file, onUnreadable);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
