import type { Socket } from "node:net";
import type { BerWriter, Client, Entry, Filter, SearchOptions } from "ldapts";
import { messageOf } from "../../core/values/basics.ts";
import { quoted } from "../security-file-error.ts";
import { type EncodedFilter, encodeFilter } from "./filter.ts";
import { boundMessages } from "./message-bounds.ts";
import { type LdapLinkOptions, openSocket } from "./open-socket.ts";
import type { LdapServer } from "./server-address.ts";

/**
 * The LDAP directory is unreachable, or what it says cannot be used. The message is for the operator and never holds a
 * password.
 */
export class LdapDirectoryError extends Error {
  override readonly name: string = "LdapDirectoryError";
}

/** A server did not respond, or cannot at the moment: another one may. */
export class LdapUnreachableError extends LdapDirectoryError {
  override readonly name = "LdapUnreachableError";
}

/** The reason of a failure in one line; the libraries put some of theirs on several, and some into inner errors. */
export function reasonInOneLine(cause: unknown): string {
  const inner = cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause;
  const message = messageOf(inner);
  return message.replace(/\s+/g, " ").trim();
}

/** Result codes of RFC 4511 by which a server refuses these very credentials; some servers return others than 49. */
const REFUSED = new Set([
  19, // constraintViolation: too many attempts
  32, // noSuchObject
  48, // inappropriateAuthentication: the entry has no password
  49, // invalidCredentials
  53, // unwillingToPerform: the account is locked
]);
/** referral, noSuchObject, invalidDNSyntax: the entry is not here. Referrals are not followed. */
const NOT_FOUND = new Set([10, 32, 34]);
/** busy, unavailable: another server may do better. */
const TRY_ANOTHER = new Set([51, 52]);
const PAGE_SIZE = 500;

/**
 * One connection to one server. Unlike a client of `ldapts` alone it never reconnects on its own: that would be
 * without TLS and anonymous, and what anonymous users may not see would look as if it did not exist.
 */
export class LdapConnection {
  readonly #ldapts: Ldapts;
  readonly #server: LdapServer;
  readonly #client: Client;
  readonly #socket: Socket;

  private constructor(ldapts: Ldapts, server: LdapServer, client: Client, socket: Socket) {
    this.#ldapts = ldapts;
    this.#server = server;
    this.#client = client;
    this.#socket = socket;
  }

  /** Connects, protected as the URL says. Rejects with `LdapUnreachableError` within the time. */
  static async open(ldapts: Ldapts, server: LdapServer, options: LdapLinkOptions): Promise<LdapConnection> {
    try {
      const socket = await openSocket(server, options);
      return new LdapConnection(ldapts, server, clientOver(ldapts, socket, options), socket);
    } catch (cause) {
      throw new LdapUnreachableError(`${server.url}: ${reasonInOneLine(cause)}`, { cause });
    }
  }

  /** Binds with a name and a password, neither of them empty. Rejects when the server says neither yes nor no. */
  async bind(dn: string, password: string): Promise<"accepted" | "refused"> {
    // An empty name or password would be an anonymous bind, which succeeds (RFC 4513 section 5.1).
    if (dn === "" || password === "") return "refused";
    try {
      await this.#client.bind(dn, password);
      return "accepted";
    } catch (error) {
      if (REFUSED.has(this.#codeOf(error))) return "refused";
      throw this.#failure("bind", error);
    }
  }

  /** Entries below `base`, at any depth, in pages. */
  async search(base: string, filter: string, attributes: string[]): Promise<readonly Entry[]> {
    try {
      const encoded = filterOf(this.#ldapts, encodeFilter(filter));
      return await this.#find(base, { scope: "sub", filter: encoded, attributes, paged: { pageSize: PAGE_SIZE } });
    } catch (error) {
      throw this.#failure(`search below ${quoted(base)}`, error);
    }
  }

  /** The entry of this name; undefined when there is none. */
  async read(dn: string, attributes: string[]): Promise<Entry | undefined> {
    try {
      return (await this.#find(dn, { scope: "base", attributes }))[0];
    } catch (error) {
      if (NOT_FOUND.has(this.#codeOf(error))) return undefined;
      throw this.#failure(`read ${quoted(dn)}`, error);
    }
  }

  close(): void {
    // No one waits for a connection that broke when it is no longer needed.
    void this.#client
      .unbind()
      .catch(() => {})
      .finally(() => this.#socket.destroy());
  }

  async #find(base: string, options: SearchOptions): Promise<readonly Entry[]> {
    return (await this.#client.search(base, options)).searchEntries;
  }

  #codeOf(error: unknown): number {
    return error instanceof this.#ldapts.ResultCodeError ? error.code : 0;
  }

  #failure(what: string, cause: unknown): LdapDirectoryError {
    const message = `${this.#server.url}: ${what}: ${reasonInOneLine(cause)}`;
    const code = this.#codeOf(cause);
    const unreachable = code === 0 || TRY_ANOTHER.has(code);
    return unreachable ? new LdapUnreachableError(message, { cause }) : new LdapDirectoryError(message, { cause });
  }
}

/** `ldapts` takes escaped octets for characters when it reads the text of a filter. */
function filterOf({ Filter }: Ldapts, { tag, content }: EncodedFilter): Filter {
  class Encoded extends Filter {
    readonly type = tag as Filter["type"];

    override toString(): string {
      return content.toString("hex");
    }

    override writeFilter(writer: BerWriter): void {
      for (const octet of content) writer.writeByte(octet);
    }
  }
  return new Encoded();
}

function clientOver(ldapts: Ldapts, socket: Socket, options: LdapLinkOptions): Client {
  let taken = false;
  return new ldapts.Client({
    // The connection exists already: only the syntax of this URL counts.
    url: "ldap://localhost",
    timeout: options.timeoutMs,
    connectTimeout: options.timeoutMs,
    createConnection: () => {
      if (taken) throw new Error("the connection was lost");
      taken = true;
      boundMessages(socket);
      return socket;
    },
  });
}

/** The optional package `ldapts`. */
export type Ldapts = typeof import("ldapts");

/**
 * Loads the LDAP client.
 *
 * @throws Error that names the package when it is not installed.
 */
export async function importLdapts(): Promise<Ldapts> {
  try {
    return await import("ldapts");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new Error("LDAP needs a package that is not installed; run: npm install ldapts@8", { cause });
  }
}
