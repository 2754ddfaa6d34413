import type { Server, ServerResponse } from "node:http";
import type { Server as SecureServer } from "node:https";
import type { Socket } from "node:net";
import type { AdminApi } from "../../core/admin-api.ts";
import type { RequestArrival } from "../../core/calls/call.ts";
import { CallerQueue } from "../../core/load/caller-queue.ts";
import { Sequences } from "../../core/load/concurrency.ts";
import { heldBytesQuota } from "../../core/load/held-bytes.ts";
import type { Priority } from "../../core/load/stop-priority.ts";
import { ADMIN_API, ifGiven, objectWith, optionsOf, requireArgument } from "../../core/options.ts";
import { TRUSTED_PROXIES, type TrustedProxies } from "../admin-http-options.ts";
import { CallerAddresses } from "../client-address.ts";
import { Backlog } from "./backlog.ts";
import { Inflow, type InflowRules } from "./inflow.ts";
import { closeAllOf, isReset, isSecure, onFirstBytes, takeConnections } from "./node-internals.ts";
import { type GuardedRequest, identified, stopMatcher } from "./request.ts";

const INFLOW = Symbol("inflow");

/** Marks a server that is guarded: a second gate would take the connections from the first. */
const GUARDED = Symbol("guarded");

interface GuardedSocket extends Socket {
  [INFLOW]?: Inflow;
}

/** Turns of the event loop for a TLS handshake of the same origin as the one before, while other work yields. */
const TURNS_OF_HANDSHAKE = 4;

export interface GuardOptions {
  /** Proxies in front of the server: each of their connections counts as its own caller. */
  readonly trustedProxies?: TrustedProxies;
}

const checked = optionsOf<GuardOptions>("guardServer", { trustedProxies: ifGiven(TRUSTED_PROXIES) });

/**
 * Puts the connections of a server under the gate of an API, from the first byte on: requests are parsed at their caller's turn, stops
 * first, and a flood of any kind leaves time for them. Call it once, before the server listens. Returns the server. Throws if it is not one of
 * `node:http` or `node:https`, listens by now, or is guarded already.
 *
 * @example
 * const server = createServer(adminHandler(api, { authenticator, next: app }));
 * guardServer(server, api).listen(8988, "127.0.0.1");
 */
export function guardServer<S extends Server | SecureServer>(server: S, api: AdminApi, options: GuardOptions = {}): S {
  requireArgument(
    "guardServer",
    "server",
    server,
    objectWith("listenerCount", "createServer(adminHandler(api, { authenticator }))"),
  );
  requireArgument("guardServer", "api", api, ADMIN_API);
  const callers = new CallerAddresses(checked(options).trustedProxies);
  const rules: InflowRules = {
    gate: api.gate,
    isStop: stopMatcher(api.operations),
    originOf: (socket) => callers.anonymousCallerOf(socket),
    callerAt: (socket) => callers.callerAt(socket),
    waiting: heldBytesQuota(),
    heads: heldBytesQuota(),
    arrive: () => api.arrive(),
    discards: new Sequences(),
  };
  mark(server);
  const serve = takeConnections(server);
  const begin = isSecure(server)
    ? guardedHandshakes(server, rules, serve)
    : (socket: Socket, backlog?: Backlog) => {
        serve(socket);
        guardConnection(socket, rules, backlog?.first?.arrival);
        backlog?.clear();
      };
  const whenHeard = heardConnections(server, rules, begin);
  server.on("connection", (socket: Socket) => {
    api.gate.announceConnection();
    // A connection that is served again, or whose first bytes the host has read, waits for nothing.
    if (socket.bytesRead === 0) whenHeard(socket);
    else begin(socket);
  });
  for (const event of ["request", "checkContinue", "checkExpectation"] as const) {
    if (event === "request" || server.listenerCount(event) > 0) server.prependListener(event, requestBegan);
  }
  return server;
}

function mark(server: Server | SecureServer): void {
  if (Reflect.has(server, GUARDED)) throw new Error("This server is guarded already; call guardServer once");
  // A connection from before, such as one that a proxy keeps, would stay without a guard for as long as it lasts.
  if (server.listening) throw new Error("This server listens already; call guardServer before `listen`");
  Reflect.set(server, GUARDED, true);
}

/** Begins to serve a connection, immediately or later, and then clears the backlog of its first bytes. */
type Begin = (socket: Socket, backlog?: Backlog) => void;

/**
 * Calls `begin` with a connection once its first bytes have arrived, at a turn of its origin. One that has ended by then costs little,
 * and so does one that was reset, unless it asks for a stop that goes first.
 */
function heardConnections(
  server: Server | SecureServer,
  { gate, isStop, originOf, callerAt, waiting, arrive }: InflowRules,
  begin: Begin,
): (socket: Socket) => void {
  const silent = new Set<Socket>();
  // A handshake waits for its own turn.
  const priorityOf = (socket: Socket, bytes: Buffer): Priority => {
    if (isSecure(server)) return "stop";
    return isStop(bytes) ? gate.stopPriority.priority(callerAt(socket)) : "other";
  };
  closeAllOf(server, silent);
  return (socket) => {
    const drop = (): void => void socket.destroy();
    const backlog = new Backlog(waiting, callerAt(socket));
    silent.add(socket);
    socket.once("close", () => {
      silent.delete(socket);
      backlog.clear();
    });
    socket.on("error", drop);
    socket.setTimeout(server.headersTimeout, drop);
    onFirstBytes(socket, (bytes) => {
      if (!bytes) {
        gate.schedule(originOf(socket), "other", drop);
        return false;
      }
      const priority = priorityOf(socket, bytes);
      const isLost = isReset(socket) && (priority !== "stop" || isSecure(server));
      if (isLost || !backlog.add({ bytes, arrival: arrive() }, () => priority !== "other")) {
        drop();
        return false;
      }
      let readsOn = false;
      gate.schedule(originOf(socket), priority, () => {
        const { first } = backlog;
        if (!first || socket.destroyed) return;
        silent.delete(socket);
        socket.setTimeout(0, drop);
        begin(socket, backlog);
        // Through what is in front of the parser now.
        readsOn = socket.push(first.bytes);
      });
      return readsOn;
    });
  };
}

/**
 * Begins one TLS handshake per turn of the event loop: it costs as much as many requests. While other work yields, to a stop or to
 * connections, any of which may bring one, those of one origin have some turns between them. The newest of an origin comes first:
 * otherwise each would wait for the whole flood of its address.
 */
function guardedHandshakes(server: SecureServer, rules: InflowRules, shakeHands: (socket: Socket) => void): Begin {
  const waiting = new CallerQueue<{ socket: Socket; backlog: Backlog | undefined }>("newest first");
  /** Origin of the latest handshake. */
  let latest: string | undefined;
  const beginNext = async (): Promise<void> => {
    for (let turn = 0, waits = true; waits && turn < TURNS_OF_HANDSHAKE; turn += 1) {
      await rules.gate.endOfTurn();
      waits = rules.gate.yields && waiting.nextCaller === latest;
    }
    latest = waiting.nextCaller;
    const next = waiting.shift();
    if (waiting.size > 0) void beginNext();
    if (!next || next.socket.destroyed) return;
    shakeHands(next.socket);
    next.backlog?.clear();
  };
  server.on("secureConnection", (socket: Socket) => guardConnection(socket, rules));
  return (socket, backlog) => {
    waiting.push(rules.originOf(socket), { socket, backlog });
    if (waiting.size === 1) void beginNext();
  };
}

/**
 * Applies the rules to the bytes of a connection; call it after the server's own listener. `arrival` is that of bytes that come next
 * and have waited.
 */
function guardConnection(socket: GuardedSocket, rules: InflowRules, arrival?: RequestArrival): void {
  socket[INFLOW] ??= new Inflow(socket, rules, arrival);
  socket[INFLOW].attach();
}

/** Notes that a request of a guarded connection has been parsed. */
function requestBegan(request: GuardedRequest, response: ServerResponse): void {
  (request.socket as GuardedSocket)[INFLOW]?.began(request, response);
}

/** Makes the user of a request the caller of its connection; none if its credentials were not accepted. */
export function callerIsUser(request: GuardedRequest, user: string | undefined, isCommand: boolean): void {
  (request.socket as GuardedSocket)[INFLOW]?.callerIs(user);
  identified(request, user, isCommand);
}

/**
 * Takes back bytes that were handed on and that no reader has had: they reach the next parser in turns, too. False if the connection
 * has no guard, or the end of its bytes has been handed on.
 */
export function guardAgain(socket: GuardedSocket, bytes: Buffer): boolean {
  return socket[INFLOW]?.takeBack(bytes) ?? false;
}
