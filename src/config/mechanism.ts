import type { Settings } from "./settings.ts";

/** How callers authenticate, or why nobody can. */
export type AuthenticationMechanism =
  /** HTTP Basic against the user file (`SIMPLE`) or the LDAP directory (`LDAP`). */
  | { readonly kind: "basic"; readonly directory: "file" | "ldap" }
  /** The API is closed: every request gets 403 with the reason (decision D-HTTP 9). */
  | { readonly kind: "closed"; readonly reason: string };

/** The settings that decide on the mechanism. */
export type MechanismSettings = Pick<Settings, "security.oauth2.authenticationType" | "security.oauth2.provider.name">;

/**
 * The one authentication mechanism that the settings ask for (specification, "Authentication" 2 and 3; decision D-AUTH 1).
 * `NONE` closes the API whatever else is set; a named provider goes before `SIMPLE` and `LDAP`.
 */
export function authenticationMechanism(settings: MechanismSettings): AuthenticationMechanism {
  const type = settings["security.oauth2.authenticationType"];
  const provider = settings["security.oauth2.provider.name"];
  if (type === "NONE") {
    return closed("security.oauth2.authenticationType is NONE, and the API refuses to run without authentication");
  }
  if (provider !== undefined) return tokensExpected(`security.oauth2.provider.name is "${provider}"`);
  if (type === "PROVIDER") return tokensExpected("security.oauth2.authenticationType is PROVIDER");
  return { kind: "basic", directory: type === "LDAP" ? "ldap" : "file" };
}

function tokensExpected(setting: string): AuthenticationMechanism {
  return closed(
    `${setting}, so tokens of an identity provider are expected, but no JWT validation is configured: this version has no settings for it`,
  );
}

function closed(reason: string): AuthenticationMechanism {
  return { kind: "closed", reason: `The API is closed: ${reason}` };
}
