import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

const CACHE = join(process.cwd(), "node_modules", ".cache", "trading-admin");
const UNPACKED = join(CACHE, "nats-server");

/** A program, and how it was found. */
export interface FoundProgram {
  readonly path: string;
  readonly how: string;
}

/**
 * Finds `nats-server`: `NATS_SERVER`, the search path, or Debian's package unpacked below `node_modules`, which it fetches
 * when it has to. Nothing is installed on the system.
 */
export async function findNatsServer(): Promise<FoundProgram> {
  const named = process.env.NATS_SERVER;
  if (named !== undefined) return { path: await executable(named), how: "named by NATS_SERVER" };
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/bin"];
  for (const path of folders.map((folder) => join(folder, "nats-server"))) {
    if (await isExecutable(path)) return { path, how: "found on this machine" };
  }
  const unpacked = join(UNPACKED, "usr", "sbin", "nats-server");
  if (!(await isExecutable(unpacked))) await unpackPackage();
  return { path: await executable(unpacked), how: "unpacked from Debian's package" };
}

async function unpackPackage(): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, "unpacking-"));
  try {
    await download(folder);
    const [archive] = (await readdir(folder)).filter((name) => name.endsWith(".deb"));
    await run("dpkg-deb", ["-x", join(folder, archive ?? ""), join(folder, "content")]);
    // Another process may have done the same meanwhile; then its result serves as well.
    await rename(join(folder, "content"), UNPACKED).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY") throw error;
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `The tests need nats-server: install Debian's package nats-server, or set NATS_SERVER to its path. ` +
        `It could not be fetched with apt-get download: ${reason}`,
      { cause },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function download(folder: string): Promise<void> {
  const fetchPackage = () =>
    run("apt-get", ["-q", "-o", "APT::Sandbox::User=root", "download", "nats-server"], { cwd: folder });
  try {
    await fetchPackage();
  } catch {
    // The package lists may be missing or old.
    await run("apt-get", ["-q", "update"]);
    await fetchPackage();
  }
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function executable(path: string): Promise<string> {
  if (await isExecutable(path)) return path;
  throw new Error(`${path} is no program that can be run`);
}
