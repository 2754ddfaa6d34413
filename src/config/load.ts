import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { z } from "zod";
import { ConfigurationError, type Problem, settingProblem } from "./configuration-error.ts";
import { matchProperties } from "./match.ts";
import type { Property } from "./property.ts";
import { SETTING_KEYS, type SettingKey, type Settings, settingInfo, settingsSchema } from "./settings.ts";
import { yamlProperties } from "./yaml-file.ts";

/** Settings and where they come from. */
export interface LoadedSettings {
  readonly settings: Settings;
  /** Absolute path of the file that was read. */
  readonly file: string;
}

/**
 * Reads `application.yaml`. Throws {@link ConfigurationError} when the file cannot be read, and one that lists every problem
 * when its content is wrong.
 */
export async function loadSettings(path: string): Promise<LoadedSettings> {
  const file = resolve(path);
  return { settings: parseSettings(await readText(file), path), file };
}

/**
 * Turns the text of an `application.yaml` into settings. `file` names it in messages, and its folder is the one that paths in
 * it are relative to; it is not read. Throws {@link ConfigurationError} that lists every problem.
 */
export function parseSettings(text: string, file: string): Settings {
  return bindSettings(yamlProperties(text, file), dirname(resolve(file)));
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason =
      code === "ENOENT"
        ? `there is no configuration file ${file}; create it (an empty file means all defaults) or name another one`
        : `the configuration file ${file} cannot be read: ${message}`;
    throw new ConfigurationError(reason, { cause });
  }
}

function bindSettings(properties: readonly Property[], folder: string): Settings {
  const { given, problems } = matchProperties(properties);
  const input = Object.fromEntries([...given].map(([key, { value }]) => [key, value ?? undefined]));
  const result = settingsSchema.safeParse(input);
  if (!result.success) throw ConfigurationError.of([...problems, ...invalidValues(result.error, given)]);
  if (problems.length > 0) throw ConfigurationError.of(problems);
  return withAbsolutePaths(result.data, folder);
}

function invalidValues(error: z.ZodError, given: ReadonlyMap<SettingKey, Property>): Problem[] {
  return error.issues.flatMap(({ path: [key], message }) => {
    const property = given.get(key as SettingKey);
    if (property === undefined) return [];
    const shown = settingInfo(key as SettingKey).secret ? "" : `, is ${masked(property.value)}`;
    return [settingProblem(property.origin, `${String(key)}: ${message}${shown}`)];
  });
}

/** A value as JSON, without the user and password that a URL in it may have. */
function masked(value: unknown): string {
  return JSON.stringify(value).replace(/(:\/\/)[^/@]*@/g, "$1***@");
}

function withAbsolutePaths(settings: Settings, folder: string): Settings {
  const absolute = (key: SettingKey, value: unknown) =>
    typeof value === "string" && settingInfo(key).path ? resolve(folder, value) : value;
  return Object.fromEntries(SETTING_KEYS.map((key) => [key, absolute(key, settings[key])])) as unknown as Settings;
}
