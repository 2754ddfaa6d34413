import { ConfigurationError } from "../../config/configuration-error.ts";
import type { SettingKey, Settings } from "../../config/settings.ts";

type SslKey = Extract<SettingKey, `server.ssl.${string}`>;

/** Settings that mean nothing without another one. */
const DEPENDENT: Readonly<Partial<Record<SslKey, readonly SslKey[]>>> = {
  "server.ssl.key-store": ["server.ssl.key-store-password", "server.ssl.key-store-type", "server.ssl.key-alias"],
  "server.ssl.certificate": ["server.ssl.certificate-private-key"],
  "server.ssl.trust-store": ["server.ssl.trust-store-password", "server.ssl.trust-store-type"],
};

/** Settings of which one at most can be set. */
const EXCLUSIVE: readonly (readonly SslKey[])[] = [
  ["server.ssl.key-store", "server.ssl.certificate"],
  ["server.ssl.trust-store", "server.ssl.trust-certificate"],
];

/**
 * True when the settings ask for HTTPS: as in Spring Boot, when there is a key store or a certificate and it is not switched
 * off. Throws {@link ConfigurationError} with all contradictions between the settings.
 */
export function asksForHttps(settings: Settings): boolean {
  if (settings["server.ssl.enabled"] === false) return false;
  const problems = [...withoutIdentity(settings), ...contradicting(settings), ...clientAuth(settings)];
  if (problems.length > 0) throw new ConfigurationError(problems);
  return hasIdentity(settings);
}

function hasIdentity(settings: Settings): boolean {
  return (settings["server.ssl.key-store"] ?? settings["server.ssl.certificate"]) !== undefined;
}

function withoutIdentity(settings: Settings): string[] {
  if (hasIdentity(settings)) return [];
  const needy: SslKey[] = ["server.ssl.trust-store", "server.ssl.trust-certificate", "server.ssl.key-password"];
  const asking = needy.filter((key) => settings[key] !== undefined);
  if (settings["server.ssl.enabled"]) asking.push("server.ssl.enabled");
  if (settings["server.ssl.client-auth"] !== "none") asking.push("server.ssl.client-auth");
  return asking.map((key) => `${key}: HTTPS needs server.ssl.key-store or server.ssl.certificate too`);
}

function contradicting(settings: Settings): string[] {
  const isSet = (key: SslKey): boolean => settings[key] !== undefined;
  const both = EXCLUSIVE.filter((keys) => keys.every(isSet)).map(
    (keys) => `${keys.join(" and ")}: only one of them can be set; remove the other`,
  );
  const orphans = Object.entries(DEPENDENT).flatMap(([owner, dependents]) =>
    isSet(owner as SslKey) ? [] : dependents.filter(isSet).map((key) => `${key}: ${owner} is needed too, or remove it`),
  );
  const isKeyless = isSet("server.ssl.certificate") && !isSet("server.ssl.certificate-private-key");
  const key = isKeyless ? ["server.ssl.certificate: server.ssl.certificate-private-key is needed too"] : [];
  return [...both, ...key, ...orphans];
}

/** Java would take every public authority for a client's; anyone with any certificate could connect then. */
function clientAuth(settings: Settings): string[] {
  const trusted = settings["server.ssl.trust-store"] ?? settings["server.ssl.trust-certificate"];
  if (settings["server.ssl.client-auth"] === "none" || trusted !== undefined || !hasIdentity(settings)) return [];
  const advice =
    "name the certificate authorities trusted for clients with server.ssl.trust-store or server.ssl.trust-certificate";
  return [`server.ssl.client-auth is ${settings["server.ssl.client-auth"]}: ${advice}`];
}
