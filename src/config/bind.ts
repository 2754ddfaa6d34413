import { resolve } from "node:path";
import type { z } from "zod";
import { withoutSecrets } from "../core/urls.ts";
import { ConfigurationError, type Problem, settingProblem } from "./configuration-error.ts";
import { type GivenProperty, matchSources } from "./match.ts";
import { type ResolvedProperty, resolveProperty } from "./placeholders.ts";
import type { Origin, PropertySource } from "./property.ts";
import { targetKey } from "./setting-target.ts";
import { SETTING_KEYS, type SettingKey, type Settings, settingInfo, settingsSchema } from "./settings.ts";

/** A setting that some source gives. */
export interface GivenSetting extends GivenProperty {
  /** With placeholders replaced. */
  readonly resolved: ResolvedProperty;
}

/** Validated settings, and what gave those that are not defaults. */
export interface BoundSettings {
  readonly settings: Settings;
  /** By documented key, with the name in place of `*`. */
  readonly given: ReadonlyMap<string, GivenSetting>;
}

/**
 * Makes settings of the properties of sources, of which the first that gives a setting decides; relative paths are relative
 * to `folder`. Throws {@link ConfigurationError} that lists every problem, `known` ones included.
 */
export function bindSettings(
  sources: readonly PropertySource[],
  folder: string,
  known: readonly Problem[] = [],
): BoundSettings {
  const matched = matchSources(sources);
  const given = new Map(
    [...matched.given].map(([key, entry]) => [key, { ...entry, resolved: resolveProperty(entry.property, sources) }]),
  );
  const faults = [...given].flatMap(([key, { property, resolved }]) =>
    resolved.fault === undefined ? [] : [settingProblem(property.origin, `${key}: ${resolved.fault}`)],
  );
  const problems = [...known, ...matched.problems, ...faults, ...lonelyParts(given)];
  const result = settingsSchema.safeParse(inputOf(given.values()));
  if (!result.success) throw ConfigurationError.of([...problems, ...invalidValues(result.error, given)]);
  if (problems.length > 0) throw ConfigurationError.of(problems);
  return { settings: withAbsolutePaths(result.data, folder), given };
}

/** Settings that say more about what restricts, where that is not given. */
function lonelyParts(given: BoundSettings["given"]): Problem[] {
  return [...given].flatMap(([key, { target, property }]) => {
    const { partOf } = settingInfo(target.key);
    if (partOf === undefined || given.has(partOf)) return [];
    return [
      settingProblem(property.origin, `${key}: restricts nobody without ${partOf}; give that too, or remove this`),
    ];
  });
}

/** Input of the schema: for a key with `*` the values by name. */
function inputOf(given: Iterable<GivenSetting>): Record<string, unknown> {
  const single = new Map<string, unknown>();
  const named = new Map<string, Map<string, unknown>>();
  for (const { target, resolved } of given) {
    if (resolved.fault !== undefined) continue;
    // An empty text would be an empty list, such as of the users of a placeholder without a value.
    const value = resolved.value === "" && settingInfo(target.key).restricts ? null : resolved.value;
    if (target.name === undefined) single.set(target.key, value);
    else named.set(target.key, (named.get(target.key) ?? new Map()).set(target.name, value));
  }
  const byName = [...named].map(([key, values]) => [key, Object.fromEntries(values)] as const);
  return Object.fromEntries([...single, ...byName]);
}

function invalidValues(error: z.ZodError, given: BoundSettings["given"]): Problem[] {
  return error.issues.flatMap(({ path: [key, name], message }) => {
    const target = { key: key as SettingKey, ...(String(key).includes("*") && { name: String(name) }) };
    const setting = given.get(targetKey(target));
    return setting === undefined ? [] : [invalidValue(setting, message)];
  });
}

/** A problem with the value of a setting; placeholders in it are shown as they are written. */
function invalidValue({ target, property }: GivenProperty, message: string): Problem {
  const shown = settingInfo(target.key).secret ? "" : `, is ${withoutSecrets(JSON.stringify(property.value))}`;
  return settingProblem(property.origin, `${targetKey(target)}: ${message}${shown}`);
}

/** One setting, for what has to be known before all others are. */
export interface EarlySetting<K extends SettingKey> {
  /** Undefined when it is not given, and when there are problems. */
  readonly value?: Settings[K];
  readonly origin?: Origin;
  readonly problems: readonly Problem[];
}

/** Reads one setting from the first of `givers` that gives it; placeholders in it are replaced from `known`. */
export function earlySetting<K extends SettingKey>(
  key: K,
  givers: readonly PropertySource[],
  known: readonly PropertySource[],
): EarlySetting<K> {
  const given = matchSources(givers).given.get(key);
  if (given === undefined) return { problems: [] };
  const { origin } = given.property;
  const { value, fault } = resolveProperty(given.property, known);
  if (fault !== undefined) return { problems: [settingProblem(origin, `${key}: ${fault}`)] };
  const { data, error } = settingsSchema.shape[key].safeParse(value);
  if (error) return { problems: error.issues.map(({ message }) => invalidValue(given, message)) };
  return { value: data as Settings[K], origin, problems: [] };
}

function withAbsolutePaths(settings: Settings, folder: string): Settings {
  const absolute = (key: SettingKey, value: unknown) =>
    typeof value === "string" && settingInfo(key).path ? resolve(folder, value) : value;
  return Object.fromEntries(SETTING_KEYS.map((key) => [key, absolute(key, settings[key])])) as unknown as Settings;
}
