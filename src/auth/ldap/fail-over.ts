import type { Clock } from "../../core/clock.ts";
import { LdapConnection, type Ldapts, LdapUnreachableError } from "./connection.ts";
import type { LdapLinkOptions } from "./open-socket.ts";
import type { LdapServer } from "./server-address.ts";

/** What the way to the servers needs, whatever the servers are. */
export interface LdapAccess extends LdapLinkOptions {
  readonly ldapts: Ldapts;
  readonly clock: Clock;
}

/** How long a server that did not respond is tried last, so that not every login waits for it. */
const AVOIDED_MS = 30_000;

/** The servers of one directory. Each task gets a connection of its own, to the first server that responds. */
export class FailOver {
  readonly #servers: readonly LdapServer[];
  readonly #access: LdapAccess;
  readonly #avoidedUntil = new Map<LdapServer, number>();

  constructor(servers: readonly LdapServer[], access: LdapAccess) {
    this.#servers = servers;
    this.#access = access;
  }

  /**
   * Runs `task` on one server after the other until one does not reject with `LdapUnreachableError`. Rejects with that error
   * and the reasons of all servers when none is left.
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
    const connection = await LdapConnection.open(this.#access.ldapts, server, this.#access);
    try {
      return await task(connection);
    } finally {
      connection.close();
    }
  }

  #inOrder(): readonly LdapServer[] {
    const now = this.#access.clock.now();
    const avoided = (server: LdapServer) => (this.#avoidedUntil.get(server) ?? 0) > now;
    return [...this.#servers.filter((server) => !avoided(server)), ...this.#servers.filter(avoided)];
  }
}
