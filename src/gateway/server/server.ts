import { createServer, type IncomingMessage, type Server, type ServerOptions } from "node:http";
import { createServer as createSecureServer, type Server as SecureServer } from "node:https";
import { type AddressInfo, Server as NetServer, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { TLSSocket } from "node:tls";
import type { AdminApi } from "../../core/admin-api.ts";
import type { TrustedProxies } from "../../http/admin-http-options.ts";
import { CallerAddresses } from "../../http/client-address.ts";
import { guardServer } from "../../http/guard/guard-server.ts";
import { serveFromHere } from "../../http/ignored-upgrade.ts";
import { deferContinue, type NodeListener } from "../../http/node.ts";
import { writeResponse } from "../../http/node-messages.ts";
import type { ServerTls } from "../https/https.ts";
import { Connections, whenWritten } from "./connections.ts";
import { HANDSHAKES_PART, Handshakes } from "./handshakes.ts";
import { RefusedInput, TIME_IS_OVER } from "./refused-input.ts";
import { type UpgradeListener, withoutUpgrade } from "./request-head.ts";
import { nodeLimits, type ServerLimits } from "./server-limits.ts";

/** Why the gateway cannot listen; the message is for the operator. */
export class ListenError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ListenError";
  }
}

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

/** Longest time in which a server that closes accepts who is connected already; in each turn it is one. */
const ACCEPTING_MS = 2_000;

/** Time for a request that was sent before its caller could notice the shutdown. */
const ARRIVAL_MS = 250;

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
  readonly #callers: CallerAddresses;
  readonly #connections: Connections;
  #draining = false;
  #closing = false;
  readonly #refused: RefusedInput;

  constructor(listener: NodeListener, limits: ServerLimits, { tls, api, trustedProxies }: GatewayServerOptions = {}) {
    this.#limits = limits;
    this.#callers = new CallerAddresses(trustedProxies);
    this.#connections = new Connections(limits.maxConnections, (socket) => this.#callers.anonymousCallerOf(socket));
    this.#refused = new RefusedInput(limits.maxTargetLength);
    const serve: NodeListener = (request, response) => {
      // During shutdown, connections end after the requests in progress.
      if (this.#closing && this.#connections.inProgress(request.socket)?.size !== 0) return;
      this.#connections.track(request.socket, response, () => {
        if (this.#closing) request.socket.end();
      });
      if (this.#draining) response.shouldKeepAlive = false;
      const refusal = this.#refused.refusalOf(request);
      if (refusal) writeResponse(request, response, refusal);
      else listener(request, response);
    };
    // Node would respond to a missing Host and to expectations by itself, in its own shape. The listener asks for
    // the body when it wants it: a refused upload is not sent at all.
    this.#http = tls ? this.#createSecureServer(serve, tls) : createServer(this.#serverOptions, serve);
    this.#http.timeout = limits.stallMs;
    // All fields are kept, within the bound on their bytes: too many are refused, not dropped (decision D-HTTP 34).
    this.#http.maxHeadersCount = 0;
    this.#http.on("checkContinue", deferContinue(serve));
    this.#http.on("checkExpectation", serve);
    this.#http.on("clientError", (error: NodeJS.ErrnoException, stream) => {
      const socket = stream as Socket;
      const refuse = (): void => this.#refused.end(socket, error, this.#connections.inProgress(socket));
      // Hundreds of connections may time out together. What is not HTTP has been read at a turn, and more of it would follow.
      const isLate = error.code === TIME_IS_OVER;
      if (api && isLate) api.gate.schedule(this.#callers.anonymousCallerOf(socket), "other", refuse);
      else refuse();
    });
    if (!tls) this.#http.on("connection", (socket) => this.#connections.accept(socket));
    if (api) guardServer(this.#http, api, trustedProxies && { trustedProxies });
  }

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
      refused: this.#refused.counts,
    };
  }

  /** Listens and returns the port. Rejects with {@link ListenError}, which names the `settings` of the address. */
  listen(port: number, address: string, settings: "server" | "management.server" = "server"): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#http.once("error", (cause: NodeJS.ErrnoException) => {
        const reason = listenReason(cause, { port: `${settings}.port`, address: `${settings}.address` });
        reject(new ListenError(`Cannot listen on ${address}:${port}: ${reason}`, { cause }));
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
      whenWritten(this.#connections.inProgress(socket) ?? new Set(), () => {
        if (this.#closing || socket.destroyed) socket.destroy();
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
   * Stops listening and lets requests in progress and upgraded connections finish, for at most `timeoutMs`. A request that is just
   * arriving gets a moment more: its caller could not know its outcome otherwise.
   */
  async close(timeoutMs: number): Promise<void> {
    this.#draining = true;
    this.#closing = true;
    await this.#allAccepted(Math.min(ACCEPTING_MS, timeoutMs));
    return new Promise((resolve) => {
      // What has come is read before timers run again.
      const moment = setTimeout(() => setImmediate(() => this.#dropIdle()), Math.min(ARRIVAL_MS, timeoutMs));
      const timeout = setTimeout(() => {
        this.#http.closeAllConnections();
        for (const [socket] of this.#connections) socket.destroy();
      }, timeoutMs);
      // The HTTP server's own method would drop idle connections immediately.
      NetServer.prototype.close.call(this.#http, () => {
        clearTimeout(moment);
        clearTimeout(timeout);
        this.#http.close(() => resolve());
      });
      this.#handshakes.end();
      for (const [, { inProgress }] of this.#connections) {
        const last = [...inProgress].at(-1);
        if (last && !last.headersSent) last.shouldKeepAlive = false;
      }
    });
  }

  /** Waits for a turn that brings no connection: those in the system's queue are reset when a server stops listening. */
  async #allAccepted(limitMs: number): Promise<void> {
    const end = performance.now() + limitMs;
    let isAccepting = true;
    const accepted = (): void => {
      isAccepting = true;
    };
    this.#http.on("connection", accepted);
    // The first is the turn of the caller, whose events were read before.
    for (let turn = 0; turn < 2 || (isAccepting && performance.now() < end); turn += 1) {
      isAccepting = false;
      await nextTurn();
    }
    this.#http.off("connection", accepted);
  }

  #dropIdle(): void {
    for (const [socket, { inProgress, isUpgraded }] of this.#connections) {
      if (inProgress.size === 0 && !isUpgraded) socket.destroy();
    }
  }

  get #serverOptions(): ServerOptions {
    return { requireHostHeader: false, ...nodeLimits(this.#limits) };
  }

  #createSecureServer(serve: NodeListener, tls: ServerTls): SecureServer {
    const server = createSecureServer({ ...this.#serverOptions, ...tls.options() }, serve);
    const most = Math.max(1, Math.floor(this.#limits.maxConnections * HANDSHAKES_PART));
    const callerOf = (socket: Socket): string => this.#callers.anonymousCallerOf(socket);
    server.on("connection", (socket: Socket) => this.#handshakes.begin(socket, callerOf(socket), most));
    server.on("secureConnection", (socket: TLSSocket) => {
      this.#handshakes.done(socket);
      if (tls.refuses(socket)) socket.destroy();
      else this.#connections.accept(socket);
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
}

function ignore(): void {}

/** Names of the settings or options to change when a server cannot listen. */
export interface ListenNames {
  readonly port: string;
  readonly address: string;
}

/** How a setting is given on the command line, where npm keeps options without `--` in front to itself. */
function optionFor(name: string): string {
  return name.startsWith("--") ? "" : `, as with --${name}=9000 (npm start -- --${name}=9000)`;
}

/** Why a server cannot listen, and what to do. */
export function listenReason({ code, message }: NodeJS.ErrnoException, names: ListenNames): string {
  if (code === "EADDRINUSE")
    return `the port is in use; stop the other program or set ${names.port}${optionFor(names.port)}`;
  if (code === "EACCES") return `not permitted; use a port above 1023 for ${names.port}`;
  if (code === "EADDRNOTAVAIL") return `this machine has no such address; set ${names.address}`;
  return message;
}
