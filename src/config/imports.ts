import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { earlySetting } from "./bind.ts";
import { ConfigTreeError, configTreeSource } from "./config-tree.ts";
import { type Problem, settingProblem } from "./configuration-error.ts";
import type { Origin, PropertySource } from "./property.ts";

const IMPORT = "spring.config.import";

/** Config trees that were read, the one that goes before the others first, and what is wrong with some. */
export interface Imported {
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
