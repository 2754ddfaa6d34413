import { PERMISSIONS, type Permission } from "../core/principal.ts";
import { nameKey, type Principals } from "./names.ts";
import { quoted } from "./security-file-error.ts";

/** One `allow` or `deny` of `uac-access-rules.xml`: each of its principals times each of its permissions. */
export interface AccessRule {
  readonly effect: "allow" | "deny";
  /** Names of users and groups; `*` is any authenticated user (decision D-UAC 3). */
  readonly principals: readonly string[];
  /** Free names; `*` is any permission. */
  readonly permissions: readonly string[];
  /** False when the rule is limited to some resources: then it neither grants nor takes away a permission of this API. */
  readonly anyResource: boolean;
  /** Where the rule stands, for messages. */
  readonly origin: string;
}

/** What the rules come to for the users of a directory. */
export interface GrantedPermissions {
  /** Permissions by key of the user; every user of the directory has an entry. */
  readonly permissions: ReadonlyMap<string, ReadonlySet<Permission>>;
  readonly warnings: readonly string[];
}

const ANY = "*";
const BY_NAME: ReadonlyMap<string, Permission> = new Map(PERMISSIONS.map((name) => [name.toUpperCase(), name]));

/**
 * Evaluates rules for every user of a directory. A user has a permission when a rule allows it, by its name or by `*`, and no
 * rule denies it, by its name or by `*`; the order of rules does not matter, and what no rule allows is denied. This holds
 * for rules of the user, of a group they are in, and of the principal `*` alike: a deny of any of them beats all allows.
 */
export function grantPermissions(rules: readonly AccessRule[], principals: Principals): GrantedPermissions {
  const warnings = rules.flatMap((rule) => warningsOf(rule, principals));
  const allowed = new PermissionTable();
  const denied = new PermissionTable();
  for (const rule of rules) {
    if (rule.anyResource) (rule.effect === "allow" ? allowed : denied).add(rule, principals);
  }
  const permissions = new Map<string, ReadonlySet<Permission>>();
  for (const user of principals.users.keys()) {
    permissions.set(user, new Set(PERMISSIONS.filter((name) => allowed.has(user, name) && !denied.has(user, name))));
  }
  return { permissions, warnings };
}

/** Users by permission, for the rules of one effect. */
class PermissionTable {
  readonly #users = new Map<Permission, Set<string>>();

  add(rule: AccessRule, principals: Principals): void {
    const users = rule.principals.flatMap((name) => [...(usersOf(name, principals) ?? [])]);
    for (const permission of rule.permissions.flatMap(permissionsOf)) {
      const entry = this.#users.get(permission) ?? new Set();
      for (const user of users) entry.add(user);
      this.#users.set(permission, entry);
    }
  }

  has(user: string, permission: Permission): boolean {
    return this.#users.get(permission)?.has(user) ?? false;
  }
}

/** Keys of the users that a principal of a rule stands for; undefined for an unknown name. A user goes before a group. */
function usersOf(name: string, { users, groups }: Principals): Iterable<string> | undefined {
  if (name === ANY) return users.keys();
  const key = nameKey(name);
  return users.has(key) ? [key] : groups.get(key);
}

/** The permissions of this API that a name stands for: all, one, or none, as the file may serve other products too. */
function permissionsOf(name: string): readonly Permission[] {
  if (name === ANY) return PERMISSIONS;
  const permission = BY_NAME.get(name.toUpperCase());
  return permission ? [permission] : [];
}

function warningsOf(rule: AccessRule, principals: Principals): string[] {
  const unknown = rule.principals.filter((name) => usersOf(name, principals) === undefined);
  const warnings = unknown.map((name) => `${rule.origin}: ${quoted(name)} is skipped: there is no such user or group`);
  const named = rule.permissions.filter((name) => name !== ANY && permissionsOf(name).length > 0);
  if (rule.anyResource || named.length === 0) return warnings;
  const effect = rule.effect === "allow" ? "grants nothing" : "takes nothing away";
  return [...warnings, `${rule.origin}: limited to a resource, it ${effect} of ${named.join(", ")}`];
}
