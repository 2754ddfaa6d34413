import type { Permission } from "../core/principal.ts";

const MARKS = /\p{M}+/gu;

/**
 * Key under which the name of a user or group is looked up: two names are the same when their keys are. Case and accents do
 * not count, as with a collator of primary strength (`Intl.Collator` with sensitivity `base`): canonical decomposition,
 * marks removed, then lower, upper and lower case again, which also joins `ß`, `ẞ` and `ss`, and the two forms of small sigma. Letters that
 * have no canonical decomposition, such as `Ø`, stay apart from their look-alikes. Blanks count.
 */
export function nameKey(name: string): string {
  return name.normalize("NFD").replace(MARKS, "").toLowerCase().toUpperCase().toLowerCase();
}

/** The users and groups of one directory. They share one name space; keys are made by `nameKey`. */
export interface Principals {
  /** Names of users as the directory spells them, by key. */
  readonly users: ReadonlyMap<string, string>;
  /** Keys of all users of a group, those of nested groups included, by key of the group. */
  readonly groups: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A user of a directory, who may log in. */
export interface KnownUser {
  /** As the directory spells it, whatever the spelling at login (decision D-AUTH 3). */
  readonly name: string;
  readonly permissions: ReadonlySet<Permission>;
}

/** Where users and their passwords are kept. */
export interface UserDirectory {
  /**
   * Checks a name and a password, neither of them empty. Resolves to undefined for an unknown user as for a wrong password,
   * after the same work. A rejection means that neither could be decided (decision D-HTTP 10).
   */
  verify(name: string, password: string): Promise<KnownUser | undefined>;
  /** A user as known when the directory was last within reach; absent where it always is. */
  known?(name: string): KnownUser | undefined;
}
