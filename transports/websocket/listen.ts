import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { hostInUrl } from "../../src/core/urls.ts";
import { CONTRACT_NAME } from "../json-rpc/contract.ts";
import { checkAuthorities } from "../link/link.ts";
import type { WebSocketBusOptions } from "./options.ts";

/** Timeout of the upgrade request and of the TLS handshake. */
const CONNECT_TIMEOUT_MS = 10_000;

export interface Listening {
  readonly server: Server;
  /** All open sockets, including those before their HTTP request. */
  readonly sockets: ReadonlySet<Socket>;
  readonly url: string;
}

/** Starts the HTTP server of a bus. Rejects with a message for the operator on failure. */
export async function listen(options: WebSocketBusOptions): Promise<Listening> {
  const { host, port, tls } = options;
  const origin = (at: number): string => `${tls ? "wss" : "ws"}://${hostInUrl(host)}:${at}`;
  try {
    const server = create(options);
    const sockets = new Set<Socket>();
    server.on("connection", (socket: Socket) => {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host, port }, () => {
        server.off("error", reject);
        resolve();
      });
    });
    return { server, sockets, url: origin((server.address() as AddressInfo).port) };
  } catch (cause) {
    throw new Error(`The engine cannot listen on ${origin(port)}: ${inWords(cause)}`, { cause });
  }
}

function create({ tls }: WebSocketBusOptions): Server {
  const timeouts = { headersTimeout: CONNECT_TIMEOUT_MS, requestTimeout: CONNECT_TIMEOUT_MS };
  if (!tls) return createServer(timeouts);
  checkAuthorities(tls.ca);
  const clients = tls.ca === undefined ? {} : { ca: tls.ca, requestCert: true, rejectUnauthorized: true };
  const { cert, key } = tls;
  return createSecureServer({ ...timeouts, handshakeTimeout: CONNECT_TIMEOUT_MS, cert, key, ...clients });
}

function inWords(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") return "the port is in use by another process";
  if (code === "EADDRNOTAVAIL") return "this machine does not have the address";
  if (code === "EACCES") return "the port needs more rights than this process has";
  return message;
}

/** Refusal of a connection: HTTP status and message. */
export interface ConnectionRefusal {
  readonly status: number;
  readonly message: string;
}

/** Access check for connections to an engine: no browsers, valid token, supported subprotocol. */
export class ConnectionAdmission {
  readonly #digest: Buffer | undefined;

  constructor(token: string | undefined) {
    if (token === "") throw new TypeError("The token that gateways must send must not be empty");
    this.#digest = token === undefined ? undefined : digest(token);
  }

  /** Undefined for a request that may be upgraded. */
  check({ headers }: IncomingMessage): ConnectionRefusal | undefined {
    // Only browsers send it, on behalf of any open page.
    if (headers.origin !== undefined) return { status: 403, message: "Browsers may not connect to an engine" };
    if (!this.#knows(headers.authorization)) {
      return { status: 401, message: "The engine asks for a token, sent as Authorization: Bearer" };
    }
    if (offered(headers["sec-websocket-protocol"]).includes(CONTRACT_NAME)) return undefined;
    return { status: 400, message: `The subprotocol must be ${CONTRACT_NAME}` };
  }

  #knows(authorization: string | undefined): boolean {
    if (!this.#digest) return true;
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1] ?? "";
    return timingSafeEqual(digest(token), this.#digest);
  }
}

export function refuseUpgrade(socket: Duplex, { status, message }: ConnectionRefusal): void {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Connection: close",
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(message)}`,
    ...(status === 401 ? ["WWW-Authenticate: Bearer"] : []),
  ];
  // A client that disconnects early misses nothing.
  socket.on("error", () => socket.destroy());
  socket.once("finish", () => socket.destroy());
  socket.end(`${head.join("\r\n")}\r\n\r\n${message}`);
}

/** Of fixed length, for a constant-time comparison. */
function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

function offered(header: string | undefined): readonly string[] {
  return (header ?? "").split(",").map((name) => name.trim());
}
