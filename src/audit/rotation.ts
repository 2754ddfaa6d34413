import { access, rename, rm, unlink } from "node:fs/promises";
import type { Logger } from "../core/logger.ts";
import { messageOf } from "../core/values/basics.ts";
import { isMissing, openToAppend } from "./disk.ts";
import { FileSet } from "./file-set.ts";

/**
 * Renames a full file and puts an empty one in its place. The empty one is created first, under another name, so that a crash between
 * the two steps can be distinguished from the removal of the current file.
 */
export async function rotateFiles(files: FileSet, full: string): Promise<void> {
  if (await isThere(full)) throw new Error(`${full} already exists`);
  const next = await openToAppend(files.next, files.folder);
  await next.close();
  try {
    await rename(files.current, full);
  } catch (error) {
    await rm(files.next, { force: true });
    throw error;
  }
  await rename(files.next, files.current);
}

/** Completes an interrupted rotation. Returns whether the current file exists. */
export async function finishRotation(files: FileSet): Promise<boolean> {
  const begun = await isThere(files.current);
  if (!(await isThere(files.next))) return begun;
  if (begun) await rm(files.next);
  else await rename(files.next, files.current);
  return true;
}

/** Whether a file exists, or cannot be checked. */
export async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    (error: unknown) => !isMissing(error),
  );
}

/** Removes the oldest full files, so that `maxFiles` remain, including the current one. */
export async function removeOldest(files: FileSet, maxFiles: number | undefined, log: Logger): Promise<void> {
  if (maxFiles === undefined) return;
  try {
    for (const file of (await files.allFull()).slice(0, 1 - maxFiles)) {
      await unlink(file);
      log.info("Audit file: removed, it was the oldest", { file });
    }
  } catch (error) {
    log.warn(`Audit file: the oldest cannot be removed: ${messageOf(error)}`, { file: files.current });
  }
}

/** The files of an audit trail, in the order of the chain. */
export interface Trail {
  readonly files: readonly string[];
  /** Why the current file is missing; absent if it is not. */
  readonly end?: { readonly file: string; readonly message: string; readonly isProblem: boolean };
}

/** The trail whose current file has this path. For a full file that is the file itself: no other has its name and a number more. */
export async function wholeTrail(path: string): Promise<Trail> {
  const set = new FileSet(path);
  const full = await set.allFull();
  if (full.length === 0 || (await isThere(path))) return { files: [...full, path] };
  const isRotating = await isThere(set.next);
  const message = isRotating
    ? "the file is not there yet: a rotation is in progress, or a crash has cut it off and the next start finishes it"
    : "the file is missing: the end of the chain is not there";
  return { files: full, end: { file: path, message, isProblem: !isRotating } };
}
