import { invalidValue } from "./bind.ts";
import { ConfigurationError, type Problem, settingProblem } from "./configuration-error.ts";
import { matchSources } from "./match.ts";
import { DOCUMENTED_PREFIX, documentedKey } from "./prefix-keys.ts";
import { findByKey, type Property, type PropertySource } from "./property.ts";
import { resolveProperty } from "./resolved-property.ts";
import { settingsSchema } from "./settings.ts";

const PREFIX = "admin.settings.prefix";

/**
 * What this installation writes in place of `spring` in `spring.security.oauth2.*` (specification, "Authentication" 4:
 * `<framework>.security.oauth2.resourceserver.jwt`). Throws {@link ConfigurationError} when the setting is unusable.
 */
export function settingsPrefix(sources: readonly PropertySource[]): string {
  const given = matchSources(sources).given.get(PREFIX);
  if (given === undefined) return DOCUMENTED_PREFIX;
  const { origin } = given.property;
  const { value, fault } = resolveProperty(given.property, sources);
  if (fault !== undefined) throw ConfigurationError.of([settingProblem(origin, `${PREFIX}: ${fault}`)]);
  const { data, error } = settingsSchema.shape[PREFIX].safeParse(value);
  if (error) throw ConfigurationError.of(error.issues.map(({ message }) => invalidValue(given, message)));
  return data;
}

/** A source whose properties have their documented keys. */
export function withDocumentedKeys(source: PropertySource, prefix: string): PropertySource {
  if (prefix === DOCUMENTED_PREFIX) return source;
  const properties = source.properties.map(
    (property): Property => ({ ...property, key: documentedKey(property.key, prefix) }),
  );
  const find = findByKey(properties);
  return { ...source, properties, find: (name) => source.find(name) ?? find(name) };
}

/** The prefix must be known before config trees are read, so they cannot give it. */
export function misplacedPrefix(trees: readonly PropertySource[]): Problem[] {
  const given = matchSources(trees).given.get(PREFIX);
  return given ? [settingProblem(given.property.origin, `${PREFIX}: a config tree cannot give it`)] : [];
}
