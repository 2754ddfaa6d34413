import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { ifGiven, listLike, OBJECT, optionsOf, requireArgument, textLike } from "../core/options.ts";
import type { Environment } from "../core/values/basics.ts";
import { encodingFault } from "../core/values/text-encoding.ts";
import { type BoundSettings, bindSettings } from "./bind.ts";
import { importTrees } from "./config-tree.ts";
import { ConfigurationError } from "./configuration-error.ts";
import { environmentSource } from "./environment-variables.ts";
import { misplacedPrefix, settingsPrefix, withDocumentedKeys } from "./prefix.ts";
import { findByKey, type Property, type PropertySource } from "./property.ts";
import type { Settings } from "./settings.ts";
import { yamlProperties } from "./yaml-file.ts";

/** Sources that take precedence over the configuration file. */
export interface SettingOverrides {
  /** Arguments `--key=value`. */
  readonly commandLine?: readonly string[];
  /** Environment variables, such as `process.env`: those that mean settings, and all for placeholders. */
  readonly environment?: Environment;
}

const checked = optionsOf<SettingOverrides>("loadSettings", {
  commandLine: ifGiven(listLike("process.argv.slice(2)")),
  environment: ifGiven(OBJECT),
});

export interface LoadedSettings {
  readonly settings: Settings;
  /** Absolute path of the file that was read. */
  readonly file: string;
  /** Names of the sources; the first that gives a setting decided. */
  readonly sources: readonly string[];
}

/** Settings, and what gave each of them: texts as they are written, secret ones too. */
export interface TracedSettings extends LoadedSettings, BoundSettings {}

/**
 * Reads `application.yaml` and what goes before it, in Spring's order: arguments, environment variables, config trees
 * (`spring.config.import`), the file. Throws {@link ConfigurationError} when the file cannot be read, and one that lists every
 * problem when something in one of the sources is wrong.
 *
 * @example
 * const { settings } = await loadSettings("application.yaml");
 */
export async function loadSettings(path: string, overrides: SettingOverrides = {}): Promise<LoadedSettings> {
  requireArgument("loadSettings", "path", path, textLike('"application.yaml"'));
  const { settings, file, sources } = await traceSettings(path, checked(overrides));
  return { settings, file, sources };
}

/** Does what {@link loadSettings} does, for those who show where each setting comes from. */
export async function traceSettings(path: string, overrides: SettingOverrides = {}): Promise<TracedSettings> {
  const file = resolve(path);
  const folder = dirname(file);
  const { commandLine = [], environment = {} } = overrides;
  const written = fileSource(await readText(file), path);
  const prefix = settingsPrefix([commandLineSource(commandLine), environmentSource(environment), written]);
  const outer = [withDocumentedKeys(commandLineSource(commandLine), prefix), environmentSource(environment, prefix)];
  const yaml = withDocumentedKeys(written, prefix);
  const known = [...outer, yaml];
  const fromOuter = await importTrees(outer, known, folder);
  const fromFile = await importTrees([yaml], known, folder);
  const trees = [...fromOuter.sources, ...fromFile.sources].map((tree) => withDocumentedKeys(tree, prefix));
  const sources = [...outer, ...trees, yaml];
  const problems = [...fromOuter.problems, ...fromFile.problems, ...misplacedPrefix(trees)];
  const bound = bindSettings(sources, folder, problems);
  return { ...bound, file, sources: sources.map(({ name }) => name) };
}

/**
 * Turns the text of an `application.yaml` alone into settings. `file` names it in messages, and its folder is the one that
 * paths in it are relative to; it is not read. Throws {@link ConfigurationError} that lists every problem, or if the text imports
 * config trees, which only {@link loadSettings} reads.
 */
export function parseSettings(text: string, file: string): Settings {
  requireArgument("parseSettings", "text", text, textLike('await readFile("application.yaml", "utf8")'));
  const written = fileSource(text, file);
  const source = withDocumentedKeys(written, settingsPrefix([written]));
  const { settings } = bindSettings([source], dirname(resolve(file)));
  if (settings["spring.config.import"].length === 0) return settings;
  throw new ConfigurationError(`${file}: spring.config.import: config trees are read only where the file is read too`);
}

function fileSource(text: string, file: string): PropertySource {
  const properties = yamlProperties(text, file);
  return { name: file, properties, strict: true, find: findByKey(properties) };
}

async function readText(file: string): Promise<string> {
  const bytes = await bytesOf(file);
  const fault = encodingFault(bytes);
  if (fault === undefined) return bytes.toString("utf8");
  const place = fault.at ? `:${fault.at.line}:${fault.at.column}` : "";
  throw new ConfigurationError(`${file}${place}: ${fault.reason}; save it as UTF-8`);
}

async function bytesOf(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason =
      code === "ENOENT"
        ? `there is no configuration file ${file}; create it (an empty file means all defaults) or name another one`
        : `the configuration file ${file} cannot be read: ${message}`;
    throw new ConfigurationError(reason, { cause });
  }
}

/** `--key=value`; the value may be empty and hold anything. */
const ARGUMENT = /^--([^=]+)=(.*)$/s;

/**
 * Settings as arguments `--server.port=0`. Every one must be a setting. Throws {@link ConfigurationError} for an argument
 * that is not of this form; messages never show a value.
 */
export function commandLineSource(args: readonly string[]): PropertySource {
  const malformed = args.find((argument) => !ARGUMENT.test(argument));
  if (malformed !== undefined) throw new ConfigurationError(malformedArgument(malformed));
  const properties = args.map((argument): Property => {
    const [, key = "", value = ""] = ARGUMENT.exec(argument) ?? [];
    return { key, value, origin: { source: "command line", option: key } };
  });
  return { name: "command line", properties, strict: true, find: findByKey(properties) };
}

function malformedArgument(argument: string): string {
  const shown = argument.startsWith("-") ? argument.replace(/=.*$/s, "") : "an argument";
  return `command line: ${shown} is not a setting; write --key=value, such as --server.port=0`;
}
