import { canonicalKey } from "./property.ts";

/** First part of the documented keys that an installation may call otherwise. */
export const DOCUMENTED_PREFIX = "spring";

/** Below the prefix, the settings of a resource server and of its login providers. */
const SECTION = ".security.oauth2.";

/** A key as it is documented, whatever the prefix is; the documented spelling always counts too. */
export function documentedKey(key: string, prefix: string): string {
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
