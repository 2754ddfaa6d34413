import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { addAbortSignal } from "node:stream";
import { type ConnectionOptions, connect as connectSecurely } from "node:tls";
import type { LdapServer } from "./server-address.ts";

/** How long things may take, whom to trust, and when to stop. */
export interface LdapLinkOptions {
  /** For each step: to connect, for the TLS handshake, for a response. */
  readonly timeoutMs: number;
  /** Certificate authorities, PEM; without them those of Node count. */
  readonly ca: string | undefined;
  /** Destroys all connections when aborted. */
  readonly signal: AbortSignal;
}

/** Opens a connection; for `ldaps://` the handshake is done and the certificate is the server's. Rejects within the time. */
export async function openSocket(server: LdapServer, options: LdapLinkOptions): Promise<Socket> {
  const { host, port, protection } = server;
  const secure = protection === "tls";
  const socket = secure ? connectSecurely({ port, ...tlsOptionsOf(server, options) }) : connect({ host, port });
  // What goes wrong is reported by those who wait; after that it concerns no one.
  socket.on("error", () => {});
  addAbortSignal(options.signal, socket);
  const timer = setTimeout(() => socket.destroy(timeoutOf(options)), options.timeoutMs);
  try {
    await once(socket, secure ? "secureConnect" : "connect");
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** TLS settings that make sure that the server is the one of the URL. */
export function tlsOptionsOf({ host }: LdapServer, { ca }: LdapLinkOptions): ConnectionOptions {
  return { host, ...(isIP(host) === 0 && { servername: host }), ...(ca !== undefined && { ca }) };
}

/** The reason for giving up. */
export function timeoutOf({ timeoutMs }: LdapLinkOptions): Error {
  return new Error(`no response within ${timeoutMs} ms`);
}
