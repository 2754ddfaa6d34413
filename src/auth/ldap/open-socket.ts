import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { addAbortSignal } from "node:stream";
import { connect as connectSecurely } from "node:tls";
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

/**
 * Opens a connection, protected as the URL says: with TLS, the handshake is done and the certificate is the server's. Rejects
 * within the time of each step.
 */
export async function openSocket(server: LdapServer, options: LdapLinkOptions): Promise<Socket> {
  const { host, port, protection } = server;
  const { ca } = options;
  // The server has to be the one of the URL.
  const tls = { host, ...(isIP(host) === 0 && { servername: host }), ...(ca !== undefined && { ca }) };
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

/** LDAPMessage 1 with the ExtendedRequest 1.3.6.1.4.1.1466.20037 (RFC 4511 section 4.14.1). */
const REQUEST = Buffer.from("301d02010177188016312e332e362e312e342e312e313436362e3230303337", "hex");

/** A server needs 14 bytes for yes; no more than this is kept of one that says anything else. */
const MAX_RESPONSE_BYTES = 4096;

/**
 * Asks a server for TLS on a connection on which nothing was said yet, and resolves when it agrees; the TLS handshake has to begin in
 * the same turn.
 *
 * The response is plain text that anyone on the way may have written. So it has to be one complete message and not a byte more:
 * whatever stood behind it would be read as if it had come through TLS (RFC 4513 section 3.1.1).
 */
function requestStartTls(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const settle = (failure?: Error): void => {
      socket.pause();
      socket.off("data", take).off("error", settle).off("end", ended);
      if (failure) reject(failure);
      else resolve();
    };
    const ended = (): void => settle(new Error("it closed the connection before it responded to StartTLS"));
    function take(chunk: Buffer): void {
      received = Buffer.concat([received, chunk]);
      const verdict = verdictOn(received);
      if (verdict !== "incomplete") settle(verdict === "agreed" ? undefined : verdict);
    }
    socket.on("data", take).on("error", settle).on("end", ended);
    socket.write(REQUEST);
  });
}

function verdictOn(received: Buffer): "incomplete" | "agreed" | Error {
  const message = elementAt(received, 0);
  if (!message || message.end > received.length) {
    const isResponse = received.length <= MAX_RESPONSE_BYTES && (received[0] ?? 0x30) === 0x30;
    return isResponse ? "incomplete" : new Error("its response to StartTLS is not an LDAP message");
  }
  if (message.end < received.length) {
    const extra = received.length - message.end;
    return new Error(
      `its response to StartTLS is followed by ${extra} bytes in plain text, which somebody on the way may have added`,
    );
  }
  return verdictOnMessage(received, message.start);
}

/** ExtendedResponse: message id, then result code, matched name, diagnostic message (RFC 4511 sections 4.1.9 and 4.12). */
function verdictOnMessage(received: Buffer, start: number): "agreed" | Error {
  const id = elementAt(received, start);
  const response = id && elementAt(received, id.end);
  const code = response && elementAt(received, response.start);
  const isAnswer = id?.tag === 0x02 && received.subarray(id.start, id.end).equals(Buffer.from([1]));
  if (!isAnswer || response?.tag !== 0x78 || code?.tag !== 0x0a || code.end !== code.start + 1) {
    return new Error("its message is not the response to StartTLS");
  }
  if (received[code.start] === 0) return "agreed";
  const matched = elementAt(received, code.end);
  const diagnostic = matched && elementAt(received, matched.end);
  const reason = diagnostic && received.toString("utf8", diagnostic.start, diagnostic.end);
  return new Error(`it refuses StartTLS: result code ${received[code.start]}${reason ? `, ${reason}` : ""}`);
}

/** Where the content of a BER element begins and ends; undefined while its head is incomplete, or cannot be one. */
function elementAt(bytes: Buffer, at: number): { tag: number; start: number; end: number } | undefined {
  const [tag, first] = [bytes[at], bytes[at + 1]];
  if (tag === undefined || first === undefined) return undefined;
  if (first < 0x80) return { tag, start: at + 2, end: at + 2 + first };
  const count = first & 0x7f;
  const start = at + 2 + count;
  // Active Directory writes lengths in 4 bytes however short they are.
  if (count === 0 || count > 4 || start > bytes.length) return undefined;
  return { tag, start, end: start + bytes.readUIntBE(at + 2, count) };
}
