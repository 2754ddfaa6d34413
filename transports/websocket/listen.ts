import { createServer, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { hostInUrl } from "../../src/core/urls.ts";
import { checkAuthorities } from "../link/link.ts";
import type { WebSocketBusOptions } from "./options.ts";

/** Timeout of the upgrade request and of the TLS handshake. */
const CONNECT_TIMEOUT_MS = 10_000;

/** A server that listens. */
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
