import { withoutSecrets } from "../core/urls.ts";
import type { Settings } from "./settings.ts";

/** How callers authenticate, or why none can. */
export type AuthenticationMechanism =
  /** HTTP Basic against the user file (`SIMPLE`) or the LDAP directory (`LDAP`). */
  | { readonly kind: "basic"; readonly directory: "file" | "ldap" }
  /** Bearer tokens of an identity provider, at least one of whose addresses is given (`PROVIDER`). */
  | { readonly kind: "token"; readonly provider: ProviderAddresses }
  /** The API is closed: every request gets 403 with the reason (decision D-HTTP 9). */
  | { readonly kind: "closed"; readonly reason: string };

/** Where an identity provider is; `jwkSetUri` without `issuerUri` means that the issuer of tokens is not checked. */
export interface ProviderAddresses {
  readonly issuerUri: string | undefined;
  readonly jwkSetUri: string | undefined;
}

const JWT = "spring.security.oauth2.resourceserver.jwt";
const LOGIN = "spring.security.oauth2.client.provider";

export type MechanismSettings = Pick<
  Settings,
  | "security.oauth2.authenticationType"
  | "security.oauth2.provider.name"
  | `${typeof JWT}.${"issuer-uri" | "jwk-set-uri"}`
  | `${typeof LOGIN}.*.${"issuer-uri" | "jwk-set-uri"}`
>;

/**
 * The one authentication mechanism that the settings ask for (specification, "Authentication" 2 to 4; decision D-AUTH 1).
 * `NONE` closes the API whatever else is set; a named provider goes before `SIMPLE` and `LDAP`.
 */
export function authenticationMechanism(settings: MechanismSettings): AuthenticationMechanism {
  const type = settings["security.oauth2.authenticationType"];
  const provider = settings["security.oauth2.provider.name"];
  if (type === "NONE") {
    return closed("security.oauth2.authenticationType is NONE, and the API refuses to run without authentication");
  }
  if (provider !== undefined) return tokens(settings, `security.oauth2.provider.name is "${provider}"`);
  if (type === "PROVIDER") return tokens(settings, "security.oauth2.authenticationType is PROVIDER");
  return { kind: "basic", directory: type === "LDAP" ? "ldap" : "file" };
}

/** The mechanism in one line, for the operator. `directory` is the folder of the access files. */
export function describeMechanism(mechanism: AuthenticationMechanism, directory: string): string {
  if (mechanism.kind === "closed") return mechanism.reason;
  if (mechanism.kind === "token") {
    const { issuerUri, jwkSetUri } = mechanism.provider;
    return `PROVIDER: bearer tokens of ${withoutSecrets(String(issuerUri ?? jwkSetUri))}`;
  }
  return mechanism.directory === "ldap"
    ? `LDAP: HTTP Basic against the directory of uac-ldap-security.xml in ${directory}`
    : `SIMPLE: HTTP Basic against the access files in ${directory}`;
}

/** Explicit settings, as a whole, take precedence over those of the login provider. */
function tokens(settings: MechanismSettings, setting: string): AuthenticationMechanism {
  const name = settings["security.oauth2.provider.name"] ?? "";
  const explicit = { issuerUri: settings[`${JWT}.issuer-uri`], jwkSetUri: settings[`${JWT}.jwk-set-uri`] };
  const login = {
    issuerUri: named(settings[`${LOGIN}.*.issuer-uri`], name),
    jwkSetUri: named(settings[`${LOGIN}.*.jwk-set-uri`], name),
  };
  const provider = [explicit, login].find(({ issuerUri, jwkSetUri }) => issuerUri ?? jwkSetUri);
  if (provider) return { kind: "token", provider };
  const also = name === "" ? "" : ` or ${LOGIN}.${name}.issuer-uri`;
  return closed(
    `${setting}, so tokens of an identity provider are expected, but no JWT validation is configured: set ${JWT}.issuer-uri${also}`,
  );
}

function named(values: Readonly<Record<string, string>> | undefined, name: string): string | undefined {
  return values && Object.hasOwn(values, name) ? values[name] : undefined;
}

function closed(reason: string): AuthenticationMechanism {
  return { kind: "closed", reason: `The API is closed: ${reason}` };
}
