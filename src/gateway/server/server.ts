import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import { createServer as createSecureServer, type Server as SecureServer } from "node:https";
import { type AddressInfo, Server as NetServer, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { AdminApi } from "../../core/admin-api.ts";
import { AdminError } from "../../core/errors.ts";
import { stranger } from "../../core/load/caller-queue.ts";
import { CallerAddresses, type TrustedProxies } from "../../http/client-address.ts";
import { guardServer } from "../../http/guard-server.ts";
import { serveFromHere } from "../../http/ignored-upgrade.ts";
import type { HttpResponse } from "../../http/message.ts";
import { deferContinue, type NodeListener } from "../../http/node.ts";
import { writeResponse } from "../../http/node-messages.ts";
import { refusal } from "../../http/responses.ts";
import type { ServerTls } from "../https/https.ts";
import { Connections, whenWritten } from "./connections.ts";
import { HANDSHAKES_PART, Handshakes } from "./handshakes.ts";
import { hostFault, type UpgradeListener, withoutUpgrade } from "./request-head.ts";
import { nodeLimits, type ServerLimits } from "./server-limits.ts";

/** Why the gateway cannot listen; the message is for the operator. */
export class ListenError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ListenError";
  }
}

/** Names of the settings for port and address. */
type ListenSettings = "server" | "management.server";

/** Usage of a server. */
export interface ServerUse {
  readonly connections: number;
  /** Limit on open connections. */
  readonly capacity: number;
  /** Connections that were closed to make room for others. */
  readonly dropped: number;
  /** Input refused before it became a request, by status. */
  readonly refused: ReadonlyMap<number, number>;
}

/**
 * Backlog of connections to be accepted; the operating system may allow fewer. When it is full, a caller's system retries only after
 * a second.
 */
const MAX_ARRIVING = 4_096;

/** Time for a request that was sent before its caller could notice the shutdown. */
const ARRIVAL_MS = 250;

/** Closes the connection after the response. */
const CLOSING = { Connection: "close" };

/** Options of a server. */
export interface GatewayServerOptions {
  /** Makes it an HTTPS server; closed by the caller. */
  readonly tls?: ServerTls | undefined;
  /** Puts the connections under its gate. */
  readonly api?: AdminApi;
  readonly trustedProxies?: TrustedProxies;
}

/** The HTTP or HTTPS server. Requests that are not HTTP get a response in the API's own shape (decision D-HTTP 2). */
export class GatewayServer {
  readonly #http: Server | SecureServer;
  readonly #limits: ServerLimits;
  readonly #handshakes = new Handshakes();
  readonly #connections: Connections;
  #draining = false;
  readonly #refused = new Map<number, number>();

  constructor(listener: NodeListener, limits: ServerLimits, { tls, api, trustedProxies }: GatewayServerOptions = {}) {
    this.#limits = limits;
    this.#connections = new Connections(limits.maxConnections);
    const serve: NodeListener = (request, response) => {
      // During shutdown, connections end after the requests under way.
      if (!this.#http.listening && this.#connections.underWay(request.socket)?.size !== 0) return;
      this.#track(request.socket, response);
      if (this.#draining) response.shouldKeepAlive = false;
      const fault = hostFault(request);
      if (fault !== undefined) {
        writeResponse(request, response, this.#refusal(new AdminError("BAD_REQUEST", fault)));
      } else if ((request.url ?? "").length > limits.maxTargetLength) {
        writeResponse(request, response, this.#refusal(targetTooLong(limits)));
      } else {
        listener(request, response);
      }
    };
    // Node would respond to a missing Host and to expectations by itself, in a shape of its own. The listener asks for
    // the body when it wants it: a refused upload is not sent at all.
    this.#http = tls ? this.#createSecureServer(serve, tls) : createServer(this.#serverOptions, serve);
    this.#http.timeout = limits.stallMs;
    this.#http.on("checkContinue", deferContinue(serve));
    this.#http.on("checkExpectation", serve);
    const callers = new CallerAddresses(trustedProxies);
    this.#http.on("clientError", (error, stream) => {
      const socket = stream as Socket;
      const refuse = (): void => this.#refuse(socket, error);
      // The time of hundreds of connections may be over at once. What is no HTTP has been read at a turn, and more of it would follow.
      const isLate = (error as NodeJS.ErrnoException).code === "ERR_HTTP_REQUEST_TIMEOUT";
      if (api && isLate) api.gate.run(stranger(callers.peer(socket.remoteAddress).address), "other", refuse);
      else refuse();
    });
    if (!tls) this.#http.on("connection", (socket) => this.#accept(socket));
    if (api) guardServer(this.#http, api, trustedProxies && { trustedProxies });
  }

  /** Current usage. */
  get use(): ServerUse {
    const connections = this.#connections;
    const { maxConnections: capacity } = this.#limits;
    return {
      get connections() {
        return connections.size;
      },
      capacity,
      get dropped() {
        return connections.dropped;
      },
      refused: this.#refused,
    };
  }

  /** Listens and returns the port. Rejects with {@link ListenError}, which names the `settings` of the address. */
  listen(port: number, address: string, settings: ListenSettings = "server"): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#http.once("error", (cause: NodeJS.ErrnoException) => {
        reject(new ListenError(`Cannot listen on ${address}:${port}: ${listenReason(cause, settings)}`, { cause }));
      });
      const listening = (): void => resolve((this.#http.address() as AddressInfo).port);
      this.#http.listen({ port, host: address, backlog: MAX_ARRIVING }, listening);
    });
  }

  /** Offers upgrades to `take`. Those it declines are served as plain requests. */
  onUpgrade(take: UpgradeListener): void {
    this.#http.on("upgrade", (request: IncomingMessage, stream, head: Buffer) => {
      const socket = stream as Socket;
      // Node does not handle errors of the connection; closing it is enough.
      socket.on("error", ignore);
      whenWritten(this.#connections.underWay(socket) ?? new Set(), () => {
        if (!this.#http.listening || socket.destroyed) socket.destroy();
        else if (take(request, socket, head)) this.#connections.upgraded(socket);
        else this.#serveAgain(socket, withoutUpgrade(request, head));
      });
    });
  }

  /**
   * Ends each connection after its next response, until the timeout or until all are closed. New callers are still served: a load
   * balancer needs time to stop sending them.
   */
  drain(durationMs: number): Promise<void> {
    this.#draining = true;
    return this.#connections.whenNone(durationMs);
  }

  /**
   * Stops listening and lets requests and upgraded connections under way finish, for at most `timeoutMs`. A request that is just
   * arriving gets a moment more: its caller could not know its outcome otherwise.
   */
  close(timeoutMs: number): Promise<void> {
    this.#draining = true;
    return new Promise((resolve) => {
      const moment = setTimeout(() => this.#dropIdle(), Math.min(ARRIVAL_MS, timeoutMs));
      const timeout = setTimeout(() => {
        this.#http.closeAllConnections();
        for (const [socket] of this.#connections) socket.destroy();
      }, timeoutMs);
      // The HTTP server's own method would drop idle connections at once.
      NetServer.prototype.close.call(this.#http, () => {
        clearTimeout(moment);
        clearTimeout(timeout);
        this.#http.close(() => resolve());
      });
      this.#handshakes.end();
      for (const [, { underWay }] of this.#connections) {
        const last = [...underWay].at(-1);
        if (last && !last.headersSent) last.setHeader("Connection", "close");
      }
    });
  }

  #dropIdle(): void {
    for (const [socket, { underWay, isUpgraded }] of this.#connections) {
      if (underWay.size === 0 && !isUpgraded) socket.destroy();
    }
  }

  get #serverOptions(): ServerOptions {
    return { requireHostHeader: false, ...nodeLimits(this.#limits) };
  }

  #createSecureServer(serve: NodeListener, tls: ServerTls): SecureServer {
    const server = createSecureServer({ ...this.#serverOptions, ...tls.options() }, serve);
    const most = Math.max(1, Math.floor(this.#limits.maxConnections * HANDSHAKES_PART));
    server.on("connection", (socket: Socket) => this.#handshakes.begin(socket, most));
    server.on("secureConnection", (socket: TLSSocket) => {
      this.#handshakes.done(socket);
      if (tls.refuses(socket)) socket.destroy();
      else this.#accept(socket);
    });
    tls.onChange((context) => server.setSecureContext(context));
    return server;
  }

  /** Makes the server read a connection, beginning with these bytes. */
  #serveAgain(socket: Socket, bytes: Buffer): void {
    socket.off("error", ignore);
    socket.unshift(bytes);
    serveFromHere(this.#http, socket);
  }

  #accept(socket: Socket): void {
    this.#connections.accept(socket);
  }

  #track(socket: Socket, response: ServerResponse): void {
    this.#connections.track(socket, response, () => {
      if (!this.#http.listening) socket.end();
    });
  }

  #refuse(socket: Socket, { code }: NodeJS.ErrnoException): void {
    const underWay = this.#connections.underWay(socket);
    // Not even a connection: the handshake failed, and the peer would not understand a response.
    if (underWay === undefined) return void socket.destroy();
    const [first, ...others] = underWay;
    const isForFirst = others.length === 0 && first?.req.complete === false && !first.headersSent;
    // Unless the body of the only request is malformed, the refusal would be taken for the response to an earlier one.
    if (code === "ECONNRESET" || !socket.writable || (first && !isForFirst)) socket.destroy();
    else socket.end(printed(this.#refusal(malformedRequest(code))));
  }

  #refusal(error: AdminError): HttpResponse {
    this.#refused.set(error.status, (this.#refused.get(error.status) ?? 0) + 1);
    return refusal(error, CLOSING);
  }
}

function ignore(): void {}

function targetTooLong({ maxTargetLength }: ServerLimits): AdminError {
  return new AdminError("TARGET_TOO_LONG", `The path with its query is longer than ${maxTargetLength} characters`);
}

function malformedRequest(code: string | undefined): AdminError {
  if (code === "HPE_HEADER_OVERFLOW") {
    return new AdminError("HEADERS_TOO_LARGE", "The request line and headers are too large");
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return new AdminError("REQUEST_TIMEOUT", "The request did not arrive completely in time");
  }
  return new AdminError("BAD_REQUEST", "The request is not valid HTTP");
}

function printed({ status, headers, body }: HttpResponse): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
}

function listenReason({ code, message }: NodeJS.ErrnoException, settings: ListenSettings): string {
  if (code === "EADDRINUSE") return `the port is in use; stop the other program or set ${settings}.port`;
  if (code === "EACCES") return `not permitted; use a port above 1023 for ${settings}.port`;
  if (code === "EADDRNOTAVAIL") return `this machine has no such address; set ${settings}.address`;
  return message;
}
