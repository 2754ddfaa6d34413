import { randomUUID } from "node:crypto";
import type { Clock } from "../../core/clock.ts";
import { forEachInTurns, type Turns } from "../../core/load/turns.ts";
import { startTimeLimit } from "../../core/timeout.ts";
import { type KnownUser, nameKey, type UserDirectory } from "../names.ts";
import { LdapConnection, type Ldapts, LdapUnreachableError } from "./connection.ts";
import type { LdapLinkOptions } from "./open-socket.ts";
import type { LdapServer } from "./server-address.ts";

export interface LdapAccess extends LdapLinkOptions {
  readonly ldapts: Ldapts;
  readonly clock: Clock;
}

/** How long a server that did not respond is tried last, so that not every login waits for it. */
const AVOIDED_MS = 30_000;

/** How long a task may take at one server: one that always has more to say responds in time to each step. */
const MAX_TASK_MS = 5 * 60_000;

/** The servers of one directory. Each task gets its own connection, to the first server that responds. */
export class FailOver {
  readonly #servers: readonly LdapServer[];
  readonly #access: LdapAccess;
  readonly #avoidedUntil = new Map<LdapServer, number>();

  constructor(servers: readonly LdapServer[], access: LdapAccess) {
    this.#servers = servers;
    this.#access = access;
  }

  /**
   * Runs `task` on one server after the other until one does not reject with `LdapUnreachableError`, as each does that is not done within five
   * minutes. Rejects with that error and the reasons of all servers when none is left.
   */
  async attempt<T>(task: (connection: LdapConnection) => Promise<T>): Promise<T> {
    const failures: LdapUnreachableError[] = [];
    for (const server of this.#inOrder()) {
      try {
        return await this.#on(server, task);
      } catch (error) {
        if (!(error instanceof LdapUnreachableError)) throw error;
        this.#avoidedUntil.set(server, this.#access.clock.now() + AVOIDED_MS);
        failures.push(error);
      }
    }
    throw new LdapUnreachableError(failures.map(({ message }) => message).join("; "), { cause: failures[0] });
  }

  async #on<T>(server: LdapServer, task: (connection: LdapConnection) => Promise<T>): Promise<T> {
    const { ldapts, clock, signal: closing } = this.#access;
    const { signal, end } = startTimeLimit(clock, MAX_TASK_MS, closing);
    try {
      const connection = await LdapConnection.open(ldapts, server, { ...this.#access, signal });
      try {
        return await task(connection);
      } finally {
        connection.close();
      }
    } catch (error) {
      if (!signal.aborted || closing.aborted) throw error;
      throw new LdapUnreachableError(`${server.url}: it responds, but was not done within ${MAX_TASK_MS / 1000} s`);
    } finally {
      end();
    }
  }

  #inOrder(): readonly LdapServer[] {
    const now = this.#access.clock.now();
    const avoided = (server: LdapServer) => (this.#avoidedUntil.get(server) ?? 0) > now;
    return [...this.#servers.filter((server) => !avoided(server)), ...this.#servers.filter(avoided)];
  }
}

/** A user of the directory with their permissions. */
export interface LdapUser extends KnownUser {
  /** The distinguished name with which they bind. */
  readonly dn: string;
}

export interface LdapLogins {
  /** By key of their names. */
  readonly users: ReadonlyMap<string, LdapUser>;
  readonly servers: FailOver;
  /** Distinguished name below which no user has a random name. */
  readonly base: string;
}

/**
 * Users who prove themselves by binding to the LDAP directory, each time on its own connection, so that the rights of the
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
