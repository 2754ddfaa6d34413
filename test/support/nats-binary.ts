import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { access, constants, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A program, and how it was found. */
export interface FoundProgram {
  readonly path: string;
  readonly how: string;
}

/**
 * Finds `nats-server`: what `NATS_SERVER` names, else on the search path, else Debian's package, which is fetched once and
 * unpacked below `node_modules/.cache`. Nothing is installed on the system. Rejects with what to do when there is none.
 */
export async function findNatsServer(): Promise<FoundProgram> {
  const named = process.env.NATS_SERVER;
  if (named !== undefined) {
    if (await isExecutable(named)) return { path: named, how: "named by NATS_SERVER" };
    throw new Error(`NATS_SERVER names ${named}, which is no program that can be run`);
  }
  const folders = [...(process.env.PATH ?? "").split(delimiter).filter(Boolean), "/usr/sbin"];
  for (const path of folders.map((folder) => join(folder, "nats-server"))) {
    if (await isExecutable(path)) return { path, how: "found on this machine" };
  }
  const cache = join(packageRoot(), "node_modules", ".cache", "trading-admin");
  const path = join(cache, "nats-server", "usr", "sbin", "nats-server");
  if (await isExecutable(path)) return { path, how: "unpacked earlier from the Debian package" };
  await provision(cache);
  return { path, how: "unpacked now from the Debian package" };
}

/** Files of other tests may do the same at this moment: each unpacks on its own, the first to be ready is kept. */
async function provision(cache: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, "unpacking-"));
  try {
    await download(folder);
    const archive = (await readdir(folder)).find((name) => name.endsWith(".deb"));
    if (archive === undefined) throw new Error("apt-get downloaded no package");
    await run("dpkg-deb", ["-x", join(folder, archive), join(folder, "content")]);
    await rename(join(folder, "content"), join(cache, "nats-server"));
  } catch (cause) {
    if (isTaken(cause)) return;
    throw new Error(
      "These tests need a nats-server, and there is none: install the Debian package nats-server, or set NATS_SERVER to " +
        `the path of the program. Fetching the package failed: ${(cause as Error).message}`,
      { cause },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function download(folder: string): Promise<void> {
  // Without the option apt warns that its own user cannot write to the folder.
  const options = ["-q", "-o", "APT::Sandbox::User=root", "download", "nats-server"];
  try {
    await run("apt-get", options, { cwd: folder });
  } catch (error) {
    if (process.getuid?.() !== 0) throw error;
    // The package lists are missing or old.
    await run("apt-get", ["-q", "update"]);
    await run("apt-get", options, { cwd: folder });
  }
}

function isTaken(error: unknown): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return syscall === "rename" && (code === "ENOTEMPTY" || code === "EEXIST");
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** The package's folder, also from a bundle of the benchmark. */
function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}
