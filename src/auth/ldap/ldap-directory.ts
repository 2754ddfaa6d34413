import { randomUUID } from "node:crypto";
import { forEachInTurns, type Turns } from "../../core/load/turns.ts";
import { type KnownUser, nameKey, type UserDirectory } from "../names.ts";
import { LdapUnreachableError } from "./connection.ts";
import type { FailOver } from "./fail-over.ts";

/** A user of the directory with their permissions. */
export interface LdapUser extends KnownUser {
  /** The distinguished name with which they bind. */
  readonly dn: string;
}

/** What a login needs: the users by key of their names, the servers, and a place in the directory. */
export interface LdapLogins {
  readonly users: ReadonlyMap<string, LdapUser>;
  readonly servers: FailOver;
  /** Distinguished name below which no user has a random name. */
  readonly base: string;
}

/**
 * Users who prove themselves by binding to the LDAP directory, each time on a connection of its own, so that the rights of the
 * service account are never theirs. A login name is the id of a user or else their distinguished name, and never becomes part of
 * a filter or a distinguished name. An unknown user costs a bind too, with a name and a password that do not exist.
 */
export async function ldapDirectory({ users, servers, base }: LdapLogins, turns: Turns): Promise<UserDirectory> {
  const byDn = new Map<string, LdapUser>();
  await forEachInTurns(turns, users.values(), (user) => byDn.set(nameKey(user.dn), user));
  const known = (name: string): LdapUser | undefined => users.get(nameKey(name)) ?? byDn.get(nameKey(name));
  return {
    async verify(name, password) {
      const user = known(name);
      const [dn, secret] = user ? [user.dn, password] : [`cn=${randomUUID()},${base}`, randomUUID()];
      const result = await servers.attempt((connection) => connection.bind(dn, secret));
      return result === "accepted" ? user : undefined;
    },
    known,
  };
}

/** A directory that was never loaded: it is not known whom it would accept (decision D-HTTP 10). */
export const NEVER_LOADED: UserDirectory = {
  async verify() {
    throw new LdapUnreachableError("The LDAP directory could not be loaded since the start; see the log");
  },
};
