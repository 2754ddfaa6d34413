import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { earlySetting } from "./bind.ts";
import { type Problem, settingProblem } from "./configuration-error.ts";
import { findByKey, type Origin, type Property, type PropertySource } from "./property.ts";

/** Largest file whose content can be a value; longer than any key or certificate chain. */
const MAX_FILE_BYTES = 65_536;
/** More than a folder of settings has, and few enough to stop one that is none, or that contains itself. */
const MAX_ENTRIES = 1_000;
const MAX_DEPTH = 16;

/** A folder that cannot be read as a config tree; the message is for the operator. */
class ConfigTreeError extends Error {
  override readonly name = "ConfigTreeError";
}

/**
 * Settings as files, such as mounted secrets: the path of a file below the folder, with dots for slashes, is the key, its
 * content the value. The line end of a text with one line is cut. Folders and files whose names begin with `..` are skipped
 * (Kubernetes keeps the versions of a volume in such), links are followed. Files that are not settings are left alone,
 * whatever is in them. Throws {@link ConfigTreeError} when the folder cannot be read or holds too much.
 */
async function configTreeSource(folder: string): Promise<PropertySource> {
  const properties = await new TreeReader(folder).read();
  return { name: `config tree ${folder}`, properties, strict: false, find: findByKey(properties) };
}

class TreeReader {
  readonly #folder: string;
  #entries = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async read(): Promise<Property[]> {
    try {
      return await this.#readFolder([]);
    } catch (cause) {
      if (cause instanceof ConfigTreeError) throw cause;
      throw new ConfigTreeError(`the folder cannot be read: ${(cause as Error).message}`, { cause });
    }
  }

  async #readFolder(path: readonly string[]): Promise<Property[]> {
    if (path.length > MAX_DEPTH) throw new ConfigTreeError(`the folder is deeper than ${MAX_DEPTH} levels`);
    const names = await readdir(join(this.#folder, ...path));
    const properties: Property[] = [];
    for (const name of names.sort()) {
      if (!name.startsWith("..")) properties.push(...(await this.#readEntry([...path, name])));
    }
    return properties;
  }

  async #readEntry(path: readonly string[]): Promise<Property[]> {
    this.#entries += 1;
    if (this.#entries > MAX_ENTRIES) {
      throw new ConfigTreeError(
        `the folder holds more than ${MAX_ENTRIES} files; name the one that holds the settings`,
      );
    }
    const file = join(this.#folder, ...path);
    const key = path.join(".");
    try {
      const status = await stat(file);
      if (status.isDirectory()) return await this.#readFolder(path);
      return status.isFile() ? [property(key, file, await contentOf(file, status.size))] : [];
    } catch (error) {
      if (error instanceof ConfigTreeError) throw error;
      return [property(key, file, { fault: `the file cannot be read: ${(error as Error).message}` })];
    }
  }
}

type Content = { readonly value: string } | { readonly fault: string };

async function contentOf(file: string, size: number): Promise<Content> {
  if (size > MAX_FILE_BYTES) return { fault: `the file is larger than ${MAX_FILE_BYTES} bytes` };
  const bytes = await readFile(file);
  try {
    return { value: withoutLineEnd(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) };
  } catch {
    // All that the cause can say is that the bytes are not UTF-8.
    return { fault: "the content is not UTF-8" };
  }
}

/** Only the end of a single line, as in Spring: the line ends of a longer text belong to it. */
function withoutLineEnd(text: string): string {
  return text.indexOf("\n") === text.length - 1 ? text.replace(/\r?\n$/, "") : text;
}

function property(key: string, file: string, content: Content): Property {
  return { key, value: "", origin: { source: "config tree", file }, ...content };
}

const IMPORT = "spring.config.import";

/** Config trees that were read, the one that goes before the others first, and what is wrong with some. */
interface Imported {
  readonly sources: readonly PropertySource[];
  readonly problems: readonly Problem[];
}

/**
 * Reads the config trees that `spring.config.import` names in the first of `importers` that contains it; of several trees the last
 * one goes first. Placeholders in it are replaced from `known`; relative folders are relative to `folder`.
 */
export async function importTrees(
  importers: readonly PropertySource[],
  known: readonly PropertySource[],
  folder: string,
): Promise<Imported> {
  const { value: locations, origin, problems } = earlySetting(IMPORT, importers, known);
  if (!locations || !origin) return { sources: [], problems };
  const read = await Promise.all(locations.map((location) => readLocation(location, folder, origin)));
  return {
    sources: read.flatMap(({ sources }) => sources).toReversed(),
    problems: read.flatMap(({ problems }) => problems),
  };
}

async function readLocation(location: string, base: string, origin: Origin): Promise<Imported> {
  const [, optional, path = ""] = /^(optional:)?configtree:(.*)$/.exec(location) ?? [];
  try {
    const folders = await foldersOf(path, base);
    return { sources: await Promise.all(folders.map(configTreeSource)), problems: [] };
  } catch (error) {
    if (!(error instanceof ConfigTreeError)) throw error;
    const missing = (error.cause as NodeJS.ErrnoException | undefined)?.code === "ENOENT";
    if (missing && optional !== undefined) return { sources: [], problems: [] };
    const advice = missing ? `; write "optional:${location}" if it may be missing` : "";
    return { sources: [], problems: [settingProblem(origin, `${IMPORT}: ${location}: ${error.message}${advice}`)] };
  }
}

/** The folder; for one that ends in `/*` every folder in it, as each of them is a tree. */
async function foldersOf(path: string, base: string): Promise<string[]> {
  if (!/\/\*\/?$/.test(path)) return [resolve(base, path)];
  const parent = resolve(base, path.replace(/\*\/?$/, ""));
  try {
    const names = (await readdir(parent, { withFileTypes: true })).filter((entry) => entry.isDirectory());
    const visible = names.map(({ name }) => name).filter((name) => !name.startsWith(".."));
    return visible.sort().map((name) => resolve(parent, name));
  } catch (cause) {
    throw new ConfigTreeError(`the folder cannot be read: ${(cause as Error).message}`, { cause });
  }
}
