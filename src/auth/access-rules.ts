import { forEachInTurns, type Turns } from "../core/load/turns.ts";
import { PERMISSIONS, type Permission } from "../core/principal.ts";
import { nameKey, type Principals } from "./names.ts";
import { ANY_PERMISSION, permissionsNamed } from "./permission-names.ts";
import { type FilePosition, quoted } from "./security-file-error.ts";

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
  readonly position?: FilePosition;
}

/** A deny that is not understood as a whole: what it was to take away would stay granted. */
export interface RuleFault {
  readonly rule: AccessRule;
  /** The name that nobody has. */
  readonly name: string;
  readonly reason: string;
}

/** Warning about a faulty deny, which stays active. */
export function remarkOnFault({ rule, reason }: RuleFault): string {
  return `${rule.origin}: ${reason}; what it was to take away stays granted`;
}

export interface GrantedPermissions {
  /** Permissions by key of the user; every user of the directory has an entry. */
  readonly permissions: ReadonlyMap<string, ReadonlySet<Permission>>;
  readonly warnings: readonly string[];
  readonly faults: readonly RuleFault[];
}

const ANY = "*";

/**
 * Evaluates rules for every user of a directory. A user has a permission when a rule allows it, by its name or by `*`, and no
 * rule denies it, by its name or by `*`; the order of rules does not matter, and what no rule allows is denied. This holds
 * for rules of the user, of a group they are in, and of the principal `*` alike: a deny of any of them beats all allows.
 */
export async function grantPermissions(
  rules: readonly AccessRule[],
  principals: Principals,
  turns: Turns,
): Promise<GrantedPermissions> {
  const warnings: string[] = [];
  const faults: RuleFault[] = [];
  const allowed = new PermissionTable();
  const denied = new PermissionTable();
  for (const rule of rules) {
    if (turns.isOver()) await turns.next();
    if (rule.anyResource) await (rule.effect === "allow" ? allowed : denied).add(rule, principals, turns);
    const noticed = [...unknownPrincipals(rule, principals), ...inertLimits(rule), ...allowedToAll(rule)];
    for (const warning of noticed) warnings.push(warning);
    // A group may have more unknown members than a call has room for arguments.
    await forEachInTurns(turns, faultsOf(rule, principals), (fault) => faults.push(fault));
  }
  const permissions = new Map<string, ReadonlySet<Permission>>();
  await forEachInTurns(turns, principals.users.keys(), (user) => {
    permissions.set(user, new Set(PERMISSIONS.filter((name) => allowed.has(user, name) && !denied.has(user, name))));
  });
  return { permissions, warnings, faults };
}

/** Users by permission, for the rules of one effect. */
class PermissionTable {
  readonly #users = new Map<Permission, Set<string>>();

  async add(rule: AccessRule, principals: Principals, turns: Turns): Promise<void> {
    const users = rule.principals.flatMap((name) => [...(usersOf(name, rule, principals) ?? [])]);
    for (const permission of rule.permissions.flatMap(permissionsNamed)) {
      const entry = this.#users.get(permission) ?? new Set();
      await forEachInTurns(turns, users, (user) => entry.add(user));
      this.#users.set(permission, entry);
    }
  }

  has(user: string, permission: Permission): boolean {
    return this.#users.get(permission)?.has(user) ?? false;
  }
}

/**
 * Keys of the users that a principal of a rule stands for; undefined for an unknown name. A user goes before a group. What several entries
 * are called grants nothing to any of them, and is taken from all.
 */
function usersOf(name: string, { effect }: AccessRule, principals: Principals): Iterable<string> | undefined {
  const { users, groups, ambiguous } = principals;
  if (name === ANY) return users.keys();
  const key = nameKey(name);
  if (users.has(key)) return [key];
  return groups.get(key) ?? (effect === "deny" ? ambiguous.get(key) : undefined);
}

function faultsOf(rule: AccessRule, principals: Principals): RuleFault[] {
  if (rule.effect === "allow") return [];
  const named = rule.principals.filter((name) => name !== ANY);
  const unknown = named.filter((name) => usersOf(name, rule, principals) === undefined);
  return [
    ...unknown.map((name) => ({ rule, name, reason: `there is no user or group ${quoted(name)}` })),
    ...named.flatMap((group) => {
      const members = principals.incomplete.get(nameKey(group)) ?? [];
      return members.map((name) => ({
        rule,
        name,
        reason: `the group ${quoted(group)} has the unknown member ${quoted(name)}`,
      }));
    }),
  ];
}

function unknownPrincipals(rule: AccessRule, principals: Principals): string[] {
  if (rule.effect === "deny") return [];
  const unknown = rule.principals.filter((name) => usersOf(name, rule, principals) === undefined);
  return unknown.map((name) => `${rule.origin}: ${quoted(name)} is skipped: there is no such user or group`);
}

function inertLimits(rule: AccessRule): string[] {
  // Allows of everything in a part of TimeBase are common; a deny of everything is meant for this API, too.
  const counts = (name: string): boolean => rule.effect === "deny" || name !== ANY_PERMISSION;
  const named = rule.permissions.filter((name) => counts(name) && permissionsNamed(name).length > 0);
  if (rule.anyResource || named.length === 0) return [];
  const effect = rule.effect === "allow" ? "grants nothing" : "takes nothing away";
  return [`${rule.origin}: limited to a resource, it ${effect} of ${named.join(", ")}`];
}

/** TimeBase skips a rule of the principal `*` ("Unknown rule principal"), so a file may hold one that never had an effect. */
function allowedToAll({ effect, principals, permissions, anyResource, origin }: AccessRule): string[] {
  const granted = new Set(permissions.flatMap(permissionsNamed));
  if (effect === "deny" || !principals.includes(ANY) || !anyResource || granted.size === 0) return [];
  return [
    `${origin}: <principal>*</principal> gives ${[...granted].join(", ")} to every user who can log in; TimeBase skips such a rule. ` +
      "Name a group if that is not intended",
  ];
}
