import type { Entry } from "ldapts";
import { forEachInTurns, type Turns } from "../../core/load/turns.ts";
import { nameKey, type Principals } from "../names.ts";
import { quoted } from "../security-file-error.ts";
import type { LdapConfiguration } from "./ldap-configuration.ts";
import { type DirectoryEntries, type GroupEntry, valuesOf } from "./load-entries.ts";

/** Users and groups of the directory; of groups those that were asked for. */
export interface LdapPrincipals extends Principals {
  /**
   * Finds who is in groups of these names. Only rules ask: groups may contain each other, and those of a whole directory, each with all that is
   * in it, may have no end.
   */
  expandGroups(names: Iterable<string>): Promise<void>;
  /** Distinguished names with which users bind, by key of the user. */
  readonly userDns: ReadonlyMap<string, string>;
  /** Entries that were skipped, with the reason. */
  readonly warnings: readonly string[];
  /** Which entries are refused, as their names are equal. */
  readonly errors: readonly string[];
}

/**
 * Makes users and groups of the entries. Users exist only as members of groups that were found. They share one name space with groups; of
 * several entries with the same name none counts (decision D-UAC 13).
 */
export async function ldapPrincipals(
  entries: DirectoryEntries,
  configuration: LdapConfiguration,
  turns: Turns,
): Promise<LdapPrincipals> {
  const builder = new PrincipalBuilder(entries, configuration, turns);
  await forEachInTurns(turns, entries.groups, (group) => builder.addGroup(group));
  for (const group of entries.groups) await builder.addMembers(group);
  await builder.settleNames();
  return builder;
}

/** Names in one warning; a group may have thousands of members that are gone. */
const NAMED = 5;

/** An entry that has a name. */
interface Named {
  readonly kind: "user" | "group";
  readonly entry: Entry;
  readonly name: string;
}

/** Members of a group, by keys of distinguished names. */
interface Members {
  readonly users: Set<string>;
  readonly groups: Set<string>;
  /** Groups that no search finds or that have no name, and entries that are neither user nor group. */
  unknown: readonly string[];
}

class PrincipalBuilder implements LdapPrincipals {
  readonly users = new Map<string, string>();
  readonly userDns = new Map<string, string>();
  readonly groups = new Map<string, ReadonlySet<string>>();
  readonly ambiguous = new Map<string, Set<string>>();
  readonly incomplete = new Map<string, readonly string[]>();
  readonly warnings: string[] = [];
  readonly errors: string[] = [];
  readonly #entries: DirectoryEntries;
  readonly #configuration: LdapConfiguration;
  readonly #turns: Turns;
  /** Entries by key of their distinguished name; undefined for those without a name. */
  readonly #named = new Map<string, Named | undefined>();
  /** Of groups that have a name, by key of the distinguished name: names of several groups may be equal. */
  readonly #members = new Map<string, Members>();
  readonly #expanded = new Set<string>();

  constructor(entries: DirectoryEntries, configuration: LdapConfiguration, turns: Turns) {
    this.#entries = entries;
    this.#configuration = configuration;
    this.#turns = turns;
  }

  addGroup({ entry }: GroupEntry): void {
    if (!this.#name(entry, "group")) return;
    this.#members.set(nameKey(entry.dn), { users: new Set(), groups: new Set(), unknown: [] });
  }

  async addMembers({ entry: group, members: names }: GroupEntry): Promise<void> {
    const members = this.#members.get(nameKey(group.dn));
    if (!members) return;
    const [missing, others, unfound, unnamed]: [string[], string[], string[], string[]] = [[], [], [], []];
    await forEachInTurns(this.#turns, names, (name) => {
      const member = this.#entries.members.get(name);
      const key = nameKey(member?.entry.dn ?? "");
      if (!member) missing.push(name);
      else if (member.kind === "user") this.#addUser(member.entry, members);
      else if (member.kind === "other") others.push(name);
      else if (this.#members.has(key)) members.groups.add(key);
      else (this.#named.has(key) ? unnamed : unfound).push(name);
    });
    this.#warnOf(group, missing, "there is no such entry");
    this.#warnOf(group, others, "neither <user> nor <group> has one of its object classes");
    this.#warnOf(group, unfound, "no <groups> search finds this group");
    members.unknown = [...others, ...unfound, ...unnamed];
  }

  /** Users and groups become known by their names, unless these are taken. */
  async settleNames(): Promise<void> {
    const byName = new Map<string, Named[]>();
    await forEachInTurns(this.#turns, this.#named.values(), (named) => {
      if (!named) return;
      const entries = byName.get(nameKey(named.name));
      if (entries) entries.push(named);
      else byName.set(nameKey(named.name), [named]);
    });
    await forEachInTurns(this.#turns, byName, ([key, entries]) => {
      const [only, ...others] = entries;
      if (others.length > 0) this.#refuse(key, entries);
      else if (only?.kind === "user") {
        this.users.set(key, only.name);
        this.userDns.set(key, this.#bindNameOf(only.entry));
      }
    });
  }

  async expandGroups(names: Iterable<string>): Promise<void> {
    const wanted = new Set([...names].map(nameKey));
    for (const group of this.#members.keys()) {
      if (this.#turns.isOver()) await this.#turns.next();
      const key = this.#keyOf(group);
      if (!wanted.has(key) || this.#expanded.has(group)) continue;
      this.#expanded.add(group);
      const { users, unknown } = await this.#below(group);
      if (unknown.length > 0) this.incomplete.set(key, [...(this.incomplete.get(key) ?? []), ...unknown]);
      const ambiguous = this.ambiguous.get(key);
      if (ambiguous) for (const user of users) ambiguous.add(user);
      else this.groups.set(key, users);
    }
  }

  #addUser(entry: Entry, members: Members): void {
    if (this.#name(entry, "user")) members.users.add(nameKey(entry.dn));
  }

  /** The entry with its name; undefined, after a warning, when it has none. */
  #name(entry: Entry, kind: Named["kind"]): Named | undefined {
    const key = nameKey(entry.dn);
    if (this.#named.has(key)) return this.#named.get(key);
    const { id } = this.#configuration[kind];
    const name = valuesOf(entry, id)[0]?.trim() ?? "";
    if (name === "") this.warnings.push(`LDAP: ${kind} ${quoted(entry.dn)} is skipped: it has no ${id}`);
    this.#named.set(key, name === "" ? undefined : { kind, entry, name });
    return this.#named.get(key);
  }

  #refuse(key: string, entries: readonly Named[]): void {
    const [name, list] = [quoted(entries[0]?.name ?? ""), someOf(entries.map(({ entry }) => entry.dn))];
    this.ambiguous.set(key, new Set());
    this.errors.push(
      `LDAP: several entries have the name ${name}, so none of them counts: ${list}; rename all but one`,
    );
  }

  /** Key of the name of an entry that has one. */
  #keyOf(dn: string): string {
    return nameKey(this.#named.get(dn)?.name ?? "");
  }

  /** Never empty: a bind with an empty name is anonymous. */
  #bindNameOf(entry: Entry): string {
    const { distinguishedName } = this.#configuration.user;
    const value = distinguishedName === undefined ? "" : (valuesOf(entry, distinguishedName)[0] ?? "");
    return value.trim() === "" ? entry.dn : value;
  }

  /** Keys of all users of a group, those of nested groups included, and the members that are not known. */
  async #below(group: string): Promise<{ readonly users: ReadonlySet<string>; readonly unknown: readonly string[] }> {
    const seen = new Set([group]);
    const users = new Set<string>();
    const unknown: string[] = [];
    for (const next of seen) {
      const members = this.#members.get(next);
      await forEachInTurns(this.#turns, members?.groups ?? [], (nested) => seen.add(nested));
      await forEachInTurns(this.#turns, members?.users ?? [], (user) => {
        const key = this.#keyOf(user);
        if (this.users.has(key)) users.add(key);
      });
      await forEachInTurns(this.#turns, members?.unknown ?? [], (name) => unknown.push(name));
    }
    return { users, unknown };
  }

  #warnOf(group: Entry, names: readonly string[], reason: string): void {
    if (names.length === 0) return;
    this.warnings.push(`LDAP: group ${quoted(group.dn)}: skipped as member, ${reason}: ${someOf(names)}`);
  }
}

function someOf(names: readonly string[]): string {
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  return names.slice(0, NAMED).map(quoted).join(", ") + more;
}
