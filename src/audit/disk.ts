import { createReadStream } from "node:fs";
import { constants, type FileHandle, open, realpath, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { messageOf } from "../core/values/basics.ts";

/** The audit file cannot be used. `message` is for the operator, and names the file; `cause` is the system's error. */
export class AuditFileError extends Error {
  constructor(path: string, problem: string, options?: ErrorOptions) {
    super(`${path}: ${problem}`, options);
    this.name = "AuditFileError";
  }
}

/** Whether an error means that a file or folder does not exist. */
export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

/** Status of a file or folder; undefined if there is none. */
export async function ifThere<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

const OWNER_ONLY = 0o600;

/** Whether a file exists. Throws for a pipe or a device, which keep nothing and never end. */
export async function isRegularFile(path: string): Promise<boolean> {
  const found = await ifThere(stat(path));
  if (found?.isFile() === false) throw new AuditFileError(path, "is not a regular file");
  return found !== undefined;
}

/** Number of other names that a file has. */
export async function otherNames(path: string): Promise<number> {
  return (await stat(path)).nlink - 1;
}

/** Opens a file for appending; creates it durably if it does not exist. */
export async function openToAppend(path: string, folder: string): Promise<FileHandle> {
  const { O_WRONLY, O_APPEND, O_CREAT } = constants;
  const handle = await open(path, O_WRONLY | O_APPEND | O_CREAT, OWNER_ONLY);
  try {
    await syncFolder(folder);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Makes changes of a folder durable: files created, renamed or removed. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Copies a file from an offset on into a new file, durably. */
export async function copyTail(path: string, offset: number, target: string, folder: string): Promise<void> {
  await writeFile(target, createReadStream(path, { start: offset }), { mode: OWNER_ONLY, flush: true });
  await syncFolder(folder);
}

/** Describes how another process changed an open file with this path and size; undefined if unchanged. */
export async function foreignChange(handle: FileHandle, path: string, size: number): Promise<string | undefined> {
  const [opened, found] = await Promise.all([handle.stat(), ifThere(stat(path))]);
  if (found === undefined) return "the file was moved or deleted while it was in use";
  if (found.ino !== opened.ino || found.dev !== opened.dev) return "another file was put in the place of the file";
  return opened.size === size ? undefined : `the size of the file was changed from ${size} to ${opened.size} bytes`;
}

/** The path without symbolic links: a file has one lock, and is rotated in its own folder. */
export async function finalPath(path: string): Promise<string> {
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
