import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { access, constants, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

/** An OpenLDAP server, and what it needs to run from where it is. */
export interface FoundSlapd {
  readonly path: string;
  readonly schemas: string;
  /** Folder of loadable modules. */
  readonly modules: string;
  /** Variables of the process. */
  readonly environment: NodeJS.ProcessEnv;
}

/** Rounds of downloads: the package, its libraries, theirs. */
const ROUNDS = 4;

/**
 * Finds `slapd`: what `SLAPD` names, else on the search path, else Debian's package, which is fetched once with the libraries
 * that it needs and unpacked below `node_modules/.cache`. Nothing is installed on the system. Rejects with what to do when there
 * is none.
 */
export async function findSlapd(): Promise<FoundSlapd> {
  const named = process.env.SLAPD;
  if (named !== undefined) {
    if (await isExecutable(named)) return installed(named);
    throw new Error(`SLAPD names ${named}, which is no program that can be run`);
  }
  const folders = [...(process.env.PATH ?? "").split(delimiter).filter(Boolean), "/usr/sbin"];
  for (const path of folders.map((folder) => join(folder, "slapd"))) {
    if (await isExecutable(path)) return installed(path);
  }
  const cache = join(packageRoot(), "node_modules", ".cache", "trading-admin");
  const root = join(cache, "slapd");
  if (!(await isExecutable(join(root, "usr", "sbin", "slapd")))) await provision(cache);
  return unpacked(root);
}

function installed(path: string): FoundSlapd {
  return { path, schemas: "/etc/ldap/schema", modules: "/usr/lib/ldap", environment: process.env };
}

async function unpacked(root: string): Promise<FoundSlapd> {
  return {
    path: join(root, "usr", "sbin", "slapd"),
    schemas: join(root, "etc", "ldap", "schema"),
    modules: join(root, "usr", "lib", "ldap"),
    environment: { ...process.env, LD_LIBRARY_PATH: (await libraryFolders(root)).join(delimiter) },
  };
}

/** Debian puts libraries into a folder with the name of the machine's architecture. */
async function libraryFolders(root: string): Promise<readonly string[]> {
  const folders: string[] = [];
  for (const lib of [join(root, "usr", "lib"), join(root, "lib")].filter(existsSync)) {
    const entries = await readdir(lib);
    folders.push(...entries.filter((entry) => entry.includes("-linux-")).map((entry) => join(lib, entry)));
  }
  return folders;
}

/** Files of other tests may do the same at this moment: each unpacks on its own, the first to be ready is kept. */
async function provision(cache: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, "unpacking-"));
  try {
    await unpackWithLibraries(folder);
    await rename(join(folder, "content"), join(cache, "slapd"));
  } catch (cause) {
    if (isTaken(cause)) return;
    throw new Error(
      "These tests need an OpenLDAP server, and there is none: install the Debian package slapd, or set SLAPD to the path of " +
        `the program. Fetching the package failed: ${(cause as Error).message}`,
      { cause },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function unpackWithLibraries(folder: string): Promise<void> {
  const content = join(folder, "content");
  let wanted: readonly string[] = ["slapd"];
  for (let round = 0; round < ROUNDS && wanted.length > 0; round += 1) {
    const archives = join(folder, `round-${round}`);
    await mkdir(archives);
    await download(archives, wanted);
    const libraries = new Set<string>();
    for (const archive of await readdir(archives)) {
      await run("dpkg-deb", ["-x", join(archives, archive), content]);
      for (const name of await librariesOf(join(archives, archive))) libraries.add(name);
    }
    wanted = (await missingLibraries(content)) ? [...libraries] : [];
  }
  const missing = await missingLibraries(content);
  if (missing) throw new Error(`its libraries were not found: ${missing}`);
}

/** Libraries among the dependencies of a package; the C library is everywhere. */
async function librariesOf(archive: string): Promise<readonly string[]> {
  const { stdout } = await run("dpkg-deb", ["-f", archive, "Depends"]);
  const names = stdout.split(/[,|]/).map((dependency) => dependency.trim().split(/[ :(]/)[0] ?? "");
  return names.filter((name) => /^lib/.test(name) && !/^lib(c6|crypt1|gcc-s1|perl|mime)/.test(name));
}

async function missingLibraries(content: string): Promise<string | undefined> {
  const { path, modules, environment } = await unpacked(content);
  const files = [path, join(modules, "back_mdb.so")];
  const { stdout } = await run("ldd", files, { env: environment });
  const missing = stdout.split("\n").filter((line) => line.includes("not found"));
  return missing.length === 0 ? undefined : missing.map((line) => line.trim()).join(", ");
}

async function download(folder: string, packages: readonly string[]): Promise<void> {
  // Without the option apt warns that its own user cannot write to the folder.
  const options = ["-q", "-o", "APT::Sandbox::User=root", "download", ...packages];
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

/** The package's folder. */
function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}
