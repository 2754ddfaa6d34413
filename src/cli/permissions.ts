import { openLdapAuthentication } from "../auth/ldap/ldap-authentication.ts";
import { readAccessFiles } from "../auth/simple-users.ts";
import { loadSettings } from "../config/load.ts";
import { authenticationMechanism } from "../config/mechanism.ts";
import type { Settings } from "../config/settings.ts";
import { keptLog } from "../core/logger.ts";
import { operationNames, operationRecord, operations } from "../core/operations/table.ts";
import { PERMISSIONS, type Permission } from "../core/principal.ts";
import { textOfSetting } from "../gateway/from-settings.ts";
import type { Run } from "./framework/definition.ts";
import type { Column, Row } from "./output/columns.ts";
import { formatOf } from "./output/format.ts";
import { type Printed, printRows } from "./output/print.ts";
import { printInfo, warn } from "./terminal/messages.ts";

/** Titles of the permissions in a table of 80 columns; everywhere else they have their names. */
const TITLES: Readonly<Record<Permission, string>> = {
  HALT_RESUME_TRADING: "trading",
  CHANGE_RISK_LIMITS: "limits",
  POSITION_ADJUSTMENT: "positions",
  ENABLE_DISABLE_SERVICE: "services",
  CONTROL_FIX_SESSION: "fix",
};

/** `permissions`: who may do what, from where the configuration says that it is kept. */
export const run: Run = async ({ options, settings: commandLine }) => {
  const format = formatOf(options);
  const { settings } = await loadSettings(String(options.config), { commandLine, environment: process.env });
  const grants = await readGrants(settings, process.env);
  for (const warning of grants.warnings) warn(warning);
  await printRows(
    report(grants, (permission) => (format === "table" ? TITLES[permission] : permission)),
    format,
  );
  if (format === "table") printInfo(LEGEND);
};

const LEGEND = `All of them may read. ${PERMISSIONS.map((name) => `${TITLES[name].toUpperCase()}: ${name}`).join(", ")}`;

function report({ of, grants }: Grants, titleOf: (permission: Permission) => string): Printed {
  const columns: Column[] = [
    { name: of, kind: "text" },
    ...PERMISSIONS.map((permission): Column => ({ name: titleOf(permission), kind: "boolean" })),
    ...(of === "user" ? [{ name: "canLogIn", kind: "boolean" } as const] : []),
  ];
  const rows = grants.map(({ name, permissions, canLogIn }): Row => {
    const granted = PERMISSIONS.map((permission) => [titleOf(permission), permissions.has(permission)]);
    return { [of]: name, ...Object.fromEntries(granted), ...(of === "user" && { canLogIn }) };
  });
  return { value: grants.map((grant) => described(of, grant)), rows, columns };
}

/** A user in JSON, with the operations that the permissions allow, reads included. */
function described(of: Grants["of"], { name, permissions, canLogIn }: Grant): Row {
  const allowed = operationNames.filter((operation) => {
    const { permission } = operationRecord(operations, operation);
    return permission === null || permissions.has(permission);
  });
  return { [of]: name, permissions: [...permissions], operations: allowed, ...(of === "user" && { canLogIn }) };
}

/** A user who may call the API, and what they may do besides reading. */
interface Grant {
  /** A user, or with an identity provider an authority of its tokens. */
  readonly name: string;
  readonly permissions: ReadonlySet<Permission>;
  /** False for a user whose password is not known in this environment. */
  readonly canLogIn: boolean;
}

interface Grants {
  readonly of: "user" | "authority";
  readonly grants: readonly Grant[];
  readonly warnings: readonly string[];
}

/** Reads who may do what from where the settings say that it is kept. Throws when that cannot be read, or the API is closed. */
async function readGrants(settings: Settings, environment: NodeJS.ProcessEnv): Promise<Grants> {
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
  const { users, errors, warnings } = await readAccessFiles(settings["security.uac.directory"], environment);
  const grants = [...users.values()].map(({ name, permissions, password }) => ({
    name,
    permissions,
    canLogIn: password.kind !== "locked",
  }));
  return { of: "user", grants, warnings: [...errors, ...warnings] };
}

/** A reading ends by itself; what a part of a directory comes to would mislead. */
const MAX_READING_MS = 60 * 60_000;

async function ofDirectory(settings: Settings): Promise<Grants> {
  const ca = await textOfSetting(settings, "security.uac.ldap.ca");
  const { problems, warnings, log } = keptLog();
  const ldap = await openLdapAuthentication({
    directory: settings["security.uac.directory"],
    log,
    timeoutMs: settings["security.uac.ldap.timeout"],
    maxStartMs: MAX_READING_MS,
    ...(ca !== undefined && { tls: { ca } }),
  });
  ldap.close();
  const users = ldap.users();
  if (problems.length > 0 && users.length === 0) throw new Error(problems.join("; "));
  return {
    of: "user",
    grants: users.map((user) => ({ ...user, canLogIn: true })),
    warnings: [...problems, ...warnings],
  };
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
