import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { addAbortSignal } from "node:stream";
import { type ConnectionOptions, connect as connectSecurely } from "node:tls";
import type { LdapServer } from "./server-address.ts";
import { requestStartTls } from "./start-tls.ts";

/** How long things may take, whom to trust, and when to stop. */
export interface LdapLinkOptions {
  /** For each step: to connect, for the TLS handshake, for a response. */
  readonly timeoutMs: number;
  /** Certificate authorities, PEM; without them those of Node count. */
  readonly ca: string | undefined;
  /** Destroys all connections when aborted. */
  readonly signal: AbortSignal;
}

/**
 * Opens a connection, protected as the URL says: with TLS, the handshake is done and the certificate is the server's. Rejects
 * within the time of each step.
 */
export async function openSocket(server: LdapServer, options: LdapLinkOptions): Promise<Socket> {
  const { host, port, protection } = server;
  const tls = tlsOptionsOf(server, options);
  if (protection === "tls") return ready(connectSecurely({ port, ...tls }), "secureConnect", options);
  const socket = await ready(connect({ host, port }), "connect", options);
  if (protection === "none") return socket;
  await withinTime(socket, options, () => requestStartTls(socket));
  // Nothing may happen in between: what comes in from here on is read as TLS.
  return ready(connectSecurely({ socket, ...tls }), "secureConnect", options);
}

async function ready<T extends Socket>(socket: T, event: string, options: LdapLinkOptions): Promise<T> {
  // What goes wrong is reported by those who wait; after that it concerns no one.
  socket.on("error", () => {});
  addAbortSignal(options.signal, socket);
  await withinTime(socket, options, () => once(socket, event));
  return socket;
}

/** Waits for a step, and destroys the socket when it fails or takes too long. */
async function withinTime(socket: Socket, { timeoutMs }: LdapLinkOptions, step: () => Promise<unknown>): Promise<void> {
  const timer = setTimeout(() => socket.destroy(new Error(`no response within ${timeoutMs} ms`)), timeoutMs);
  try {
    await step();
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** TLS settings that make sure that the server is the one of the URL. */
function tlsOptionsOf({ host }: LdapServer, { ca }: LdapLinkOptions): ConnectionOptions {
  return { host, ...(isIP(host) === 0 && { servername: host }), ...(ca !== undefined && { ca }) };
}
