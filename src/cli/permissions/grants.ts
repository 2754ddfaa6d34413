import { openLdapAuthentication } from "../../auth/ldap/ldap-authentication.ts";
import { readAccessFiles } from "../../auth/simple-users.ts";
import { authenticationMechanism } from "../../config/mechanism.ts";
import type { Settings } from "../../config/settings.ts";
import { keptLog } from "../../core/logger.ts";
import { PERMISSIONS, type Permission } from "../../core/principal.ts";
import { textOfSetting } from "../../gateway/setting-file.ts";

/** A user who may call the API, and what they may do besides reading. */
export interface Grant {
  /** A user, or with an identity provider an authority of its tokens. */
  readonly name: string;
  readonly permissions: ReadonlySet<Permission>;
  /** False for a user whose password is not known in this environment. */
  readonly canLogIn: boolean;
}

/** What the configuration grants, and what the operator should know about it. */
export interface Grants {
  readonly of: "user" | "authority";
  readonly grants: readonly Grant[];
  readonly warnings: readonly string[];
}

/** Reads who may do what from where the settings say that it is kept. Throws when that cannot be read, or the API is closed. */
export async function readGrants(settings: Settings, environment: NodeJS.ProcessEnv): Promise<Grants> {
  const mechanism = authenticationMechanism(settings);
  switch (mechanism.kind) {
    case "closed":
      throw new Error(`no user may do anything. ${mechanism.reason}`);
    case "token":
      return ofAuthorities(settings);
    case "basic":
      return mechanism.directory === "ldap" ? ofDirectory(settings) : ofFiles(settings, environment);
  }
}

async function ofFiles(settings: Settings, environment: NodeJS.ProcessEnv): Promise<Grants> {
  const { users, warnings } = await readAccessFiles(settings["security.uac.directory"], environment);
  const grants = [...users.values()].map(({ name, permissions, password }) => ({
    name,
    permissions,
    canLogIn: password.kind !== "locked",
  }));
  return { of: "user", grants, warnings };
}

async function ofDirectory(settings: Settings): Promise<Grants> {
  const ca = await textOfSetting(settings, "security.uac.ldap.ca");
  const { problems, warnings, log } = keptLog();
  const ldap = await openLdapAuthentication({
    directory: settings["security.uac.directory"],
    log,
    timeoutMs: settings["security.uac.ldap.timeout"],
    ...(ca !== undefined && { tls: { ca } }),
  });
  ldap.close();
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return { of: "user", grants: ldap.users().map((user) => ({ ...user, canLogIn: true })), warnings };
}

/** A token holds its authorities; which user has which is the identity provider's to say. */
function ofAuthorities(settings: Settings): Grants {
  const mapping = settings["security.oauth2.provider.authorityMapping.*"] ?? {};
  const mapped = Object.entries(mapping).map(([name, permissions]) => ({ name, permissions: new Set(permissions) }));
  const byName = PERMISSIONS.filter((name) => !Object.hasOwn(mapping, name)).map((name) => ({
    name,
    permissions: new Set([name]),
  }));
  const grants = [...mapped, ...byName].map((grant) => ({ ...grant, canLogIn: true }));
  const claim = settings["security.oauth2.provider.authoritiesClaim"];
  const warnings = [
    `the identity provider decides which user has which of these authorities (claim ${claim} of a token)`,
  ];
  return { of: "authority", grants, warnings };
}
