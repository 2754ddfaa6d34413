import { type FileHandle, open } from "node:fs/promises";
import { functionLike, requireArgument, textLike } from "../core/options.ts";
import type { AuditRecord } from "../core/records/record.ts";
import { ifThere, isMissing } from "./disk.ts";
import { FileSet } from "./file-set.ts";
import { recordsOf, type UnreadableLine } from "./read-records.ts";

/**
 * The records that an audit trail has now, in their order; `path` is that of its current file. What is written later is not among them,
 * and a rotation does no harm. Unreadable lines are passed to `onUnreadable` and skipped, as are full files that are removed meanwhile.
 *
 * @example
 * const audit = await openAuditFile({ path });
 * const api = new AdminApi({ transport, audit, history: await pastRecords(path, () => {}) });
 */
export async function pastRecords(
  path: string,
  onUnreadable: (line: UnreadableLine) => void,
): Promise<AsyncIterable<AuditRecord>> {
  requireArgument("pastRecords", "path", path, textLike('"audit.jsonl"'));
  requireArgument("pastRecords", "onUnreadable", onUnreadable, functionLike("console.warn"));
  const full = await new FileSet(path).allFull();
  const current = await ifThere(open(path));
  const bytes = (await current?.stat())?.size ?? 0;
  return inOrder(full, current, bytes, onUnreadable);
}

async function* inOrder(
  full: readonly string[],
  current: FileHandle | undefined,
  bytes: number,
  onUnreadable: (line: UnreadableLine) => void,
): AsyncGenerator<AuditRecord> {
  try {
    for (const file of full) yield* recordsIn(file, onUnreadable);
    if (current && bytes > 0) {
      for await (const { record } of recordsOf({ handle: current, bytes }, onUnreadable)) yield record;
    }
  } finally {
    await current?.close();
  }
}

async function* recordsIn(file: string, onUnreadable: (line: UnreadableLine) => void): AsyncGenerator<AuditRecord> {
  try {
    for await (const { record } of recordsOf(file, onUnreadable)) yield record;
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
