import type { Permission } from "../core/principal.ts";

const ASCII = /^[\0-\x7f]*$/;

/** Letters whose simple case folding does not follow from their upper and lower case. */
const FOLDED: Readonly<Record<string, string>> = { ı: "ı", ﬅ: "ﬆ" };

/**
 * Key under which the name of a user or group is looked up: two names are the same when their keys are. Case does not count, by the simple
 * case folding of Unicode (statuses C and S of CaseFolding.txt) on the composed form (NFC), and nothing else: accents, vowel signs, blanks,
 * `ß` and `ss`, `ı` and `i` are differences (decision D-UAC 13).
 */
export function nameKey(name: string): string {
  if (ASCII.test(name)) return name.toLowerCase();
  return Array.from(name.normalize("NFC"), foldedCase).join("").normalize("NFC");
}

/** Simple foldings keep one character one: where a full mapping has several, as `ß` in upper case, it does not count. */
function foldedCase(character: string): string {
  const upper = onlyIfSingle(character.toUpperCase(), character);
  return FOLDED[character] ?? onlyIfSingle(upper.toLowerCase(), upper);
}

function onlyIfSingle(mapped: string, otherwise: string): string {
  return Array.from(mapped).length === 1 ? mapped : otherwise;
}

/** The users and groups of one directory. They share one name space; keys are made by `nameKey`. */
export interface Principals {
  /** Names of users as the directory spells them, by key. */
  readonly users: ReadonlyMap<string, string>;
  /** Keys of all users of a group, those of nested groups included, by key of the group. */
  readonly groups: ReadonlyMap<string, ReadonlySet<string>>;
  /** Keys that several entries have, so that none of them counts, and all users who are in groups among them: a deny still applies. */
  readonly ambiguous: ReadonlyMap<string, ReadonlySet<string>>;
  /** Names of members who are not known, by key of the group. */
  readonly incomplete: ReadonlyMap<string, readonly string[]>;
}

/** A user of a directory, who may log in. */
export interface KnownUser {
  /** As the directory spells it, whatever the spelling at login. */
  readonly name: string;
  /** What they may command; reads need none. */
  readonly permissions: ReadonlySet<Permission>;
  /** The permissions that they have now, where the directory knows without being replaced; undefined when they were removed. */
  permissionsNow?(): ReadonlySet<Permission> | undefined;
}

export interface UserDirectory {
  /**
   * Checks a name and a password, neither of them empty. Resolves to undefined for an unknown user as for a wrong password,
   * after the same work. A rejection means that neither could be decided (decision D-HTTP 10).
   */
  verify(name: string, password: string): Promise<KnownUser | undefined>;
  /** The user of any name that they can log in with, as known when the directory was last within reach; absent where it always is. */
  known?(name: string): KnownUser | undefined;
  /** Whether there is a user of that name as far as is known, where `known` is absent: then their login has turns in a flood (decision D-LOGIN 14). */
  mayExist?(name: string): boolean;
}
