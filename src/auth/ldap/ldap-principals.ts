import type { Entry } from "ldapts";
import { nameKey, type Principals } from "../names.ts";
import { quoted } from "../security-file-error.ts";
import type { EntryBinding, LdapConfiguration } from "./ldap-configuration.ts";
import { type DirectoryEntries, dnKey, type GroupEntry, valuesOf } from "./load-entries.ts";

/** Users and groups of the directory. */
export interface LdapPrincipals extends Principals {
  /** Distinguished names with which users bind, by key of the user. */
  readonly userDns: ReadonlyMap<string, string>;
  /** What was skipped. */
  readonly warnings: readonly string[];
}

/**
 * Makes users and groups of the entries. Users exist only as members of groups that were found. They share one name space
 * with groups; of two with the same name the first counts, groups before users.
 */
export function ldapPrincipals(entries: DirectoryEntries, configuration: LdapConfiguration): LdapPrincipals {
  const builder = new PrincipalBuilder(entries, configuration);
  for (const { entry } of entries.groups) builder.addGroup(entry);
  for (const group of entries.groups) builder.addMembers(group);
  return { users: builder.users, userDns: builder.userDns, groups: builder.expandGroups(), warnings: builder.warnings };
}

/** Names in one warning; a group may have thousands of members that are gone. */
const NAMED = 5;

class PrincipalBuilder {
  readonly users = new Map<string, string>();
  readonly userDns = new Map<string, string>();
  readonly warnings: string[] = [];
  readonly #entries: DirectoryEntries;
  readonly #configuration: LdapConfiguration;
  /** Keys of users and groups, by key of the name of the entry; undefined for entries that are skipped. */
  readonly #keys = new Map<string, string | undefined>();
  /** Keys of direct members, by key of the group. */
  readonly #groups = new Map<string, Set<string>>();

  constructor(entries: DirectoryEntries, configuration: LdapConfiguration) {
    this.#entries = entries;
    this.#configuration = configuration;
  }

  addGroup(entry: Entry): void {
    const key = this.#take(entry, this.#configuration.group, "group")?.key;
    if (key !== undefined) this.#groups.set(key, new Set());
  }

  addMembers({ entry: group, members: names }: GroupEntry): void {
    const key = this.#keys.get(dnKey(group.dn));
    const members = key === undefined ? undefined : this.#groups.get(key);
    if (!members) return;
    const missing: string[] = [];
    const unknownGroups: string[] = [];
    for (const name of names) {
      const member = this.#entries.members.get(name);
      if (!member) missing.push(name);
      else if (member.kind === "user") this.#addUser(member.entry, members);
      else if (!this.#addNested(member.entry, members)) unknownGroups.push(name);
    }
    this.#warnOf(group, missing, "there is no such entry");
    this.#warnOf(group, unknownGroups, "no <groups> search finds this group");
  }

  /** Keys of all users by key of the group. Groups may contain each other. */
  expandGroups(): ReadonlyMap<string, ReadonlySet<string>> {
    return new Map([...this.#groups.keys()].map((key) => [key, this.#usersBelow(key)]));
  }

  #addUser(entry: Entry, members: Set<string>): void {
    if (!this.#keys.has(dnKey(entry.dn))) {
      const taken = this.#take(entry, this.#configuration.user, "user");
      if (taken) {
        this.users.set(taken.key, taken.name);
        this.userDns.set(taken.key, this.#bindNameOf(entry));
      }
    }
    const key = this.#keys.get(dnKey(entry.dn));
    if (key !== undefined) members.add(key);
  }

  #addNested(entry: Entry, members: Set<string>): boolean {
    const key = this.#keys.get(dnKey(entry.dn));
    if (key !== undefined) members.add(key);
    return this.#keys.has(dnKey(entry.dn));
  }

  /** Gives an entry its name, unless it has none or it is taken. */
  #take(entry: Entry, { id }: EntryBinding, kind: string): { key: string; name: string } | undefined {
    const name = valuesOf(entry, id)[0]?.trim() ?? "";
    const key = nameKey(name);
    const taken = this.users.has(key) || this.#groups.has(key);
    this.#keys.set(dnKey(entry.dn), key === "" || taken ? undefined : key);
    if (key !== "" && !taken) return { key, name };
    const reason = taken ? `the name ${quoted(name)} is taken by another entry` : `it has no ${id}`;
    this.warnings.push(`LDAP: ${kind} ${quoted(entry.dn)} is skipped: ${reason}`);
    return undefined;
  }

  /** Never empty: a bind with an empty name is anonymous. */
  #bindNameOf(entry: Entry): string {
    const { distinguishedName } = this.#configuration.user;
    const value = distinguishedName === undefined ? "" : (valuesOf(entry, distinguishedName)[0] ?? "");
    return value.trim() === "" ? entry.dn : value;
  }

  #usersBelow(group: string): ReadonlySet<string> {
    const users = new Set<string>();
    const seen = new Set([group]);
    for (const next of seen) {
      for (const member of this.#groups.get(next) ?? []) (this.users.has(member) ? users : seen).add(member);
    }
    return users;
  }

  #warnOf(group: Entry, names: readonly string[], reason: string): void {
    if (names.length === 0) return;
    const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
    const list = names.slice(0, NAMED).map(quoted).join(", ");
    this.warnings.push(`LDAP: group ${quoted(group.dn)}: skipped as member, ${reason}: ${list}${more}`);
  }
}
