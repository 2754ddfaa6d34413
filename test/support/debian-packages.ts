import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Folder for what the tests provision; `npm ci` empties it. */
export const CACHE = join(packageRoot(), "node_modules", ".cache", "trading-admin");

/** Debian packages that are unpacked and not installed. */
export interface UnpackedPackages {
  readonly root: string;
  /** Variables for programs of the packages: their libraries, and the programs themselves on the search path. */
  readonly environment: NodeJS.ProcessEnv;
}

/** What is wanted: the packages, and the programs (paths from the root of the file system) that have to run afterwards. */
export interface WantedPackages {
  /** Name of the folder in the cache. */
  readonly name: string;
  readonly packages: readonly string[];
  readonly programs: readonly string[];
}

/** Rounds of downloads: the packages, their libraries, theirs. */
const ROUNDS = 4;

/**
 * Unpacks Debian packages below `node_modules/.cache`, with those libraries that the machine lacks, unless an earlier run did.
 * Nothing is installed on the system. Rejects where there is no `apt-get` and `dpkg-deb`, or the packages cannot be had.
 */
export async function unpackDebian(wanted: WantedPackages): Promise<UnpackedPackages> {
  const root = join(CACHE, wanted.name);
  if (!existsSync(root)) await provision(wanted, root);
  return { root, environment: await environmentOf(root) };
}

/** Other runs may do the same at this moment: each unpacks on its own, the first to be ready is kept. */
async function provision(wanted: WantedPackages, root: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, "unpacking-"));
  try {
    const content = join(folder, "content");
    await unpackWithLibraries(wanted, folder, content);
    await rename(content, root);
  } catch (cause) {
    if (existsSync(root)) return;
    const names = wanted.packages.join(", ");
    throw new Error(`The Debian packages ${names} cannot be unpacked: ${(cause as Error).message}`, { cause });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function unpackWithLibraries(wanted: WantedPackages, folder: string, content: string): Promise<void> {
  let names: readonly string[] = wanted.packages;
  for (let round = 0; round < ROUNDS && names.length > 0; round += 1) {
    const archives = join(folder, `round-${round}`);
    await mkdir(archives);
    await download(archives, names);
    const libraries = new Set<string>();
    for (const name of await readdir(archives)) {
      await run("dpkg-deb", ["-x", join(archives, name), content]);
      for (const library of await librariesOf(join(archives, name))) libraries.add(library);
    }
    names = (await missingLibraries(wanted, content)) === "" ? [] : [...libraries];
  }
  const missing = await missingLibraries(wanted, content);
  if (missing !== "") throw new Error(`libraries were not found: ${missing}`);
}

/** Libraries among the dependencies of a package; the C library is everywhere, and Perl is for the scripts of packages. */
async function librariesOf(archive: string): Promise<readonly string[]> {
  const { stdout } = await run("dpkg-deb", ["-f", archive, "Depends"]);
  // Of alternatives the first is the usual one; others may not exist.
  const names = stdout.split(",").map((dependency) => dependency.trim().split(/[ :(|]/)[0] ?? "");
  return names.filter((name) => /^(?:lib|zlib)/.test(name) && !/^lib(?:c6|gcc-s1|perl.*|.*-perl)$/.test(name));
}

async function missingLibraries({ programs }: WantedPackages, root: string): Promise<string> {
  const files = programs.map((program) => join(root, program));
  const { stdout } = await run("ldd", files, { env: await environmentOf(root) });
  const missing = stdout.split("\n").filter((line) => line.includes("not found"));
  return missing.map((line) => line.trim()).join(", ");
}

async function environmentOf(root: string): Promise<NodeJS.ProcessEnv> {
  const programs = ["usr/sbin", "usr/bin"].map((folder) => join(root, folder));
  const path = [...programs, process.env.PATH ?? ""].join(delimiter);
  return { ...process.env, PATH: path, LD_LIBRARY_PATH: (await libraryFolders(root)).join(delimiter) };
}

/** Debian puts libraries into a folder with the name of the machine's architecture, and private ones into folders of that. */
async function libraryFolders(root: string): Promise<readonly string[]> {
  const folders: string[] = [];
  for (const lib of [join(root, "usr", "lib"), join(root, "lib")].filter(existsSync)) {
    const machines = (await foldersIn(lib)).filter((folder) => folder.includes("-linux-"));
    for (const machine of machines) folders.push(machine, ...(await foldersIn(machine)));
  }
  return folders;
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
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

/** The package's folder, also from a bundle of the benchmark. */
function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}
