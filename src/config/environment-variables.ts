import type { Environment } from "../core/values/basics.ts";
import { prefixedKey } from "./prefix.ts";
import type { Property, PropertySource } from "./property.ts";
import { REMOVED_KEYS, SETTING_KEYS, settingInfo } from "./settings.ts";

/** A setting and the variable names that mean it. */
interface VariablePattern {
  readonly key: string;
  readonly pattern: RegExp;
}

const ELEMENT = "(?:_(?<index>\\d+)_?|\\[(?<bracketed>\\d+)\\])?";

/**
 * Settings as environment variables, named by Spring's rule: dots become underscores, dashes go away, upper case:
 * `SPRING_SECURITY_OAUTH2_RESOURCESERVER_JWT_ISSUERURI`. An underscore or the dash itself in place of a dash counts too, and
 * so does any case. Elements of a list end in `_0`, `_1`. Variables that mean no setting are none of ours.
 * `prefix` is what the installation writes in place of `spring`.
 */
export function environmentSource(environment: Environment, prefix?: string): PropertySource {
  const patterns = prefix === undefined ? PATTERNS : [...PATTERNS, ...patternsOf(prefix)];
  const properties = Object.entries(environment).flatMap(([variable, value]) => {
    const key = value === undefined ? undefined : keyOf(variable, patterns);
    return key === undefined ? [] : [property(key, variable, value)];
  });
  return {
    name: "environment variables",
    properties,
    strict: false,
    find: (name) => {
      const variable = variableNames(name).find((candidate) => ownValue(environment, candidate) !== undefined);
      return variable === undefined ? undefined : property(name, variable, ownValue(environment, variable));
    },
  };
}

const PATTERNS: readonly VariablePattern[] = [
  ...patternsOf(),
  ...Object.keys(REMOVED_KEYS).map((key) => ({ key, pattern: patternOf(key, ELEMENT) })),
];

/** The variables of all settings; with a prefix those of the settings that have it. */
function patternsOf(prefix?: string): VariablePattern[] {
  return SETTING_KEYS.flatMap((key) => {
    const written = prefix === undefined ? key : prefixedKey(key, prefix);
    if (prefix !== undefined && written === key) return [];
    return [{ key, pattern: patternOf(written, settingInfo(key).list ? ELEMENT : "") }];
  });
}

/** A name in a key is taken as short as possible, so that a number at the end is an element. */
function patternOf(key: string, end: string): RegExp {
  const segments = key.split(".").map((segment) => (segment === "*" ? "(?<name>.+?)" : wordsOf(segment).join("[_-]?")));
  return new RegExp(`^${segments.join("[._]")}${end}$`, "i");
}

function wordsOf(segment: string): string[] {
  return segment.replace(/([a-z0-9])([A-Z])/g, "$1-$2").split("-");
}

/** The documented key that a variable means; in a name in it, Spring has lower case, and dots for underscores. */
function keyOf(variable: string, patterns: readonly VariablePattern[]): string | undefined {
  for (const { key, pattern } of patterns) {
    const match = pattern.exec(variable);
    if (match === null) continue;
    const { index = match.groups?.bracketed, name = "" } = match.groups ?? {};
    const written = key.replace("*", () => name.toLowerCase().replaceAll("_", "."));
    return index === undefined ? written : `${written}[${index}]`;
  }
  return undefined;
}

/** The variables that a placeholder may mean: the name itself, then its forms by the rule. */
function variableNames(name: string): string[] {
  const upper = name.replaceAll(".", "_").toUpperCase();
  return [name, upper.replaceAll("-", ""), upper.replaceAll("-", "_")];
}

function property(key: string, variable: string, value: unknown): Property {
  return { key, value, origin: { source: "environment", variable } };
}

function ownValue(environment: Environment, variable: string): string | undefined {
  return Object.hasOwn(environment, variable) ? environment[variable] : undefined;
}
