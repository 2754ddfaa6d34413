import type { Permission } from "../core/operations/permission.ts";

/** A user whose password was right. */
export interface DirectoryUser {
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
  verify(name: string, password: string): Promise<DirectoryUser | undefined>;
  /** A user as known when the directory was last within reach; absent where it always is. */
  known?(name: string): DirectoryUser | undefined;
}
