import type { Entry } from "ldapts";
import { forEachInTurns, type Turns } from "../../core/load/turns.ts";
import { nameKey } from "../names.ts";
import { quoted } from "../security-file-error.ts";
import { type LdapConnection, LdapDirectoryError } from "./connection.ts";
import type { EntryBinding, LdapAccount, LdapConfiguration } from "./ldap-configuration.ts";

interface MemberEntry {
  /** `other` by its object classes: a printer, a contact. Whoever may write one group must not stop the load of all. */
  readonly kind: "user" | "group" | "other";
  readonly entry: Entry;
}

/** A group that a search found. */
export interface GroupEntry {
  readonly entry: Entry;
  /** Names of its members. */
  readonly members: readonly string[];
}

export interface DirectoryEntries {
  /** Results of the group searches, each entry once, in the order of the searches. */
  readonly groups: readonly GroupEntry[];
  /** Members by their names as the groups spell them; undefined where no such entry exists. */
  readonly members: ReadonlyMap<string, MemberEntry | undefined>;
}

/** Enough to hide the way to the server, and below what servers allow to wait on one connection. */
const READS_AT_A_TIME = 50;

/**
 * Reads all groups and their members over one connection, as the service account.
 *
 * @throws LdapDirectoryError when the account is refused.
 */
export async function loadEntries(
  connection: LdapConnection,
  configuration: LdapConfiguration,
  turns: Turns,
): Promise<DirectoryEntries> {
  await bindAccount(connection, configuration.account);
  const groups = await findGroups(connection, configuration);
  const names = new Set<string>();
  for (const { members } of groups) await forEachInTurns(turns, members, (name) => names.add(name));
  return { groups, members: await readMembers(connection, configuration, names) };
}

async function bindAccount(connection: LdapConnection, account: LdapAccount | undefined): Promise<void> {
  if (!account || (await connection.bind(account.dn, account.password)) === "accepted") return;
  throw new LdapDirectoryError(`the service account ${quoted(account.dn)} is refused; check <username> and <key>`);
}

async function findGroups(
  connection: LdapConnection,
  { searches, group }: LdapConfiguration,
): Promise<readonly GroupEntry[]> {
  // Servers spell the name of one entry always alike.
  const found = new Map<string, GroupEntry>();
  for (const { base, filter } of searches) {
    for (const entry of await connection.search(base, filter, attributesOf(group, group.members))) {
      if (found.has(nameKey(entry.dn))) continue;
      found.set(nameKey(entry.dn), { entry, members: await membersOf(connection, entry, group.members) });
    }
  }
  return [...found.values()];
}

async function readMembers(
  connection: LdapConnection,
  configuration: LdapConfiguration,
  names: ReadonlySet<string>,
): Promise<ReadonlyMap<string, MemberEntry | undefined>> {
  const { user, group } = configuration;
  const attributes = [...new Set([...attributesOf(user), ...attributesOf(group)])];
  const members = new Map<string, MemberEntry | undefined>();
  // The workers share the iterator: each takes the next name. The first failure ends all of them.
  const queue = names.values();
  async function work(): Promise<void> {
    for (const name of queue) {
      const entry = await connection.read(name, attributes);
      members.set(name, entry && { kind: kindOf(entry, configuration), entry });
    }
  }
  await Promise.all(Array.from({ length: READS_AT_A_TIME }, work));
  return members;
}

/** Empty names are fillers of groups that must not be without members. */
async function membersOf(
  connection: LdapConnection,
  entry: Entry,
  attribute: string | undefined,
): Promise<readonly string[]> {
  if (attribute === undefined) return [];
  return (await allValuesOf(connection, entry, attribute)).filter((name) => name !== "");
}

function attributesOf({ id, distinguishedName }: EntryBinding, members?: string): string[] {
  return ["objectClass", id, distinguishedName, members].filter((name) => name !== undefined);
}

function kindOf(entry: Entry, { user, group }: LdapConfiguration): MemberEntry["kind"] {
  const classes = new Set(valuesOf(entry, "objectClass").map((name) => name.toLowerCase()));
  const matches = ({ objectClasses }: EntryBinding) => objectClasses.some((name) => classes.has(name.toLowerCase()));
  if (matches(user)) return "user";
  if (matches(group)) return "group";
  return "other";
}

/**
 * All values of an attribute. Active Directory gives those of a large one in parts, as `member;range=0-1499`, and each further
 * part when it is asked for (MS-ADTS section 3.1.1.3.1.3.3).
 *
 * @throws LdapDirectoryError when a part is missing, or another one than was asked for: what is left out would look as if it were not there.
 */
async function allValuesOf(connection: LdapConnection, entry: Entry, attribute: string): Promise<readonly string[]> {
  const values = [...valuesOf(entry, attribute)];
  if (rangesIn(entry, attribute).length === 0) return values;
  for (let first = 0, from = entry; ; ) {
    const part: Part = partIn(from, attribute, first);
    for (const value of part.values) values.push(value);
    if (part.last === "*") return values;
    first = part.last + 1;
    from = (await connection.read(entry.dn, [rangeFrom(attribute, first)])) ?? { dn: entry.dn };
  }
}

function rangeFrom(attribute: string, first: number): string {
  return `${attribute};range=${first}-*`;
}

function rangesIn(entry: Entry, attribute: string): readonly string[] {
  const start = `${attribute};range=`.toLowerCase();
  return Object.keys(entry).filter((name) => name.toLowerCase().startsWith(start));
}

interface Part {
  readonly values: readonly string[];
  /** Number of the last value, or `*` when it is the last of all. */
  readonly last: number | "*";
}

function partIn(entry: Entry, attribute: string, first: number): Part {
  // The client adds what was asked for, without values.
  const given = rangesIn(entry, attribute).find((name) => valuesOf(entry, name).length > 0);
  const [, begin, end] = /=(\d+)-(\d+|\*)$/.exec(given ?? "") ?? [];
  const last = end === "*" ? end : Number(end);
  if (given !== undefined && Number(begin) === first && (last === "*" || last >= first)) {
    return { values: valuesOf(entry, given), last };
  }
  const instead = given === undefined ? "" : `, but ${quoted(given)}`;
  const wanted = quoted(rangeFrom(attribute, first));
  throw new LdapDirectoryError(`${quoted(entry.dn)}: the server does not give ${wanted}${instead}`);
}

/** The values of an attribute; names of attributes have no case. Empty when the entry has none. */
export function valuesOf(entry: Entry, attribute: string): readonly string[] {
  const wanted = attribute.toLowerCase();
  const key = Object.keys(entry).find((name) => name.toLowerCase() === wanted);
  const values = key === undefined ? [] : [entry[key] ?? []].flat();
  return values.map((value) => value.toString());
}
