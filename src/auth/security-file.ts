import { readFile, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { SecurityFileError } from "./security-file-error.ts";

/** Name of the file with users and groups of the mechanism SIMPLE; a constant of the installation. */
export const USER_FILE = "uac-file-security.xml";
/** Name of the file with access rules; a constant of the installation. */
export const ACCESS_RULE_FILE = "uac-access-rules.xml";
/** Name of the file that says where the LDAP directory is; a constant of the installation. */
export const LDAP_FILE = "uac-ldap-security.xml";

/** Largest access file, in bytes on disk and in characters after substitution. */
export const MAX_FILE_SIZE = 4 * 1024 * 1024;

/** Paths of the users and of the access rules of the mechanism SIMPLE. */
export function accessFiles(directory: string): [string, string] {
  return [join(resolve(directory), USER_FILE), join(resolve(directory), ACCESS_RULE_FILE)];
}

/**
 * Reads an access file as strict UTF-8; a byte order mark is dropped.
 *
 * @throws SecurityFileError when the file is missing, unreadable, too large or not UTF-8.
 */
export async function readSecurityFile(path: string): Promise<string> {
  const bytes = await readBytes(path);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new SecurityFileError(path, undefined, "the file is not UTF-8; save it as UTF-8", { cause });
  }
}

async function readBytes(path: string): Promise<Buffer> {
  const status = await attempt(path, stat(path));
  if (!status.isFile()) throw new SecurityFileError(path, undefined, "this is not a file");
  if (status.size > MAX_FILE_SIZE) {
    throw new SecurityFileError(path, undefined, `the file is larger than ${MAX_FILE_SIZE} bytes`);
  }
  return attempt(path, readFile(path));
}

async function attempt<T>(path: string, access: Promise<T>): Promise<T> {
  try {
    return await access;
  } catch (cause) {
    throw new SecurityFileError(path, undefined, describeReadError(path, cause), { cause });
  }
}

function describeReadError(path: string, cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "ENOENT") return `the file does not exist; ${origin(path)}, or set the directory of the access files`;
  if (code === "EACCES") return "the file may not be read; check its permissions";
  return `the file cannot be read (${String(code ?? cause)})`;
}

function origin(path: string): string {
  return basename(path) === LDAP_FILE
    ? "create it"
    : "create it, as `trading-admin init` does in a folder without access files";
}
