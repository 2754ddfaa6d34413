import { access, rename, unlink } from "node:fs/promises";
import { isMissing, reasonOf } from "./audit-file-error.ts";
import type { AuditFileLog } from "./audit-file-log.ts";
import type { FileSet } from "./file-set.ts";

/** Gives a file another name, unless there is a file of that name. */
export async function renameToFree(path: string, target: string): Promise<void> {
  const taken = await access(target).then(
    () => true,
    (error: unknown) => !isMissing(error),
  );
  if (taken) throw new Error(`${target} is there already`);
  await rename(path, target);
}

/** Removes the oldest full files, so that `maxFiles` are left, the current one included. */
export async function removeOldest(files: FileSet, maxFiles: number | undefined, log: AuditFileLog): Promise<void> {
  if (maxFiles === undefined) return;
  try {
    for (const file of (await files.allFull()).slice(0, 1 - maxFiles)) {
      await unlink(file);
      log.info("Audit file: removed, it was the oldest", { file });
    }
  } catch (error) {
    log.warn(`Audit file: the oldest cannot be removed: ${reasonOf(error)}`, { file: files.current });
  }
}
