import { earlySetting } from "./bind.ts";
import { ConfigurationError, type Problem, settingProblem } from "./configuration-error.ts";
import { matchSources } from "./match.ts";
import { canonicalKey, findByKey, type Property, type PropertySource } from "./property.ts";

const PREFIX = "admin.settings.prefix";

/**
 * What this installation writes in place of `spring` in `spring.security.oauth2.*` (specification, "Authentication" 4:
 * `<framework>.security.oauth2.resourceserver.jwt`). Throws {@link ConfigurationError} when the setting is unusable.
 */
export function settingsPrefix(sources: readonly PropertySource[]): string {
  const { value = DOCUMENTED_PREFIX, problems } = earlySetting(PREFIX, sources, sources);
  if (problems.length > 0) throw ConfigurationError.of(problems);
  return value;
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

/** First part of the documented keys that an installation may call otherwise. */
const DOCUMENTED_PREFIX = "spring";

/** Below the prefix, the settings of a resource server and of its login providers. */
const SECTION = ".security.oauth2.";

/** A key as it is documented, whatever the prefix is; the documented spelling always counts too. */
function documentedKey(key: string, prefix: string): string {
  const written = `${prefix}${SECTION}`;
  return canonicalKey(key).startsWith(canonicalKey(written))
    ? `${DOCUMENTED_PREFIX}${SECTION}${key
        .split(".")
        .slice(written.split(".").length - 1)
        .join(".")}`
    : key;
}

/** A documented key as this installation writes it. */
export function prefixedKey(key: string, prefix: string): string {
  return key.startsWith(`${DOCUMENTED_PREFIX}${SECTION}`) ? `${prefix}${key.slice(DOCUMENTED_PREFIX.length)}` : key;
}
