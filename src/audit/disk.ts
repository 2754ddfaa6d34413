import { createReadStream } from "node:fs";
import { constants, type FileHandle, open, stat, writeFile } from "node:fs/promises";

/** The audit file cannot be used. `message` is meant for the operator and names the file; `cause` is the system's error. */
export class AuditFileError extends Error {
  constructor(path: string, problem: string, options?: ErrorOptions) {
    super(`${path}: ${problem}`, options);
    this.name = "AuditFileError";
  }
}

/** Whether a file or folder is not there. */
export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

/** What is found of a file or folder; undefined where there is none. */
export async function ifThere<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

const OWNER_ONLY = 0o600;

/** Whether there is a file. Throws for a pipe or a device: those would be read without end, and keep nothing. */
export async function isRegularFile(path: string): Promise<boolean> {
  const found = await ifThere(stat(path));
  if (found?.isFile() === false) throw new AuditFileError(path, "is not a regular file");
  return found !== undefined;
}

/** Opens a file to write at its end, and makes it if it is not there; it is then in its folder for good. */
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

/** Makes what was created, renamed or removed in a folder durable. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Copies the end of a file, from an offset on, into a file of its own, durably. */
export async function copyTail(path: string, offset: number, target: string, folder: string): Promise<void> {
  await writeFile(target, createReadStream(path, { start: offset }), { mode: OWNER_ONLY, flush: true });
  await syncFolder(folder);
}

/** What another process did to an open file that should be at this path and of this size; undefined if nothing. */
export async function foreignChange(handle: FileHandle, path: string, size: number): Promise<string | undefined> {
  const [opened, found] = await Promise.all([handle.stat(), ifThere(stat(path))]);
  if (found === undefined) return "the file was moved or deleted while it was in use";
  if (found.ino !== opened.ino || found.dev !== opened.dev) return "another file was put in the place of the file";
  return opened.size === size ? undefined : `the size of the file was changed from ${size} to ${opened.size} bytes`;
}
