import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate as endOfTick } from "node:timers/promises";
import { type WebSocket, WebSocketServer } from "ws";
import { systemClock } from "../../src/core/clock.ts";
import {
  CLOCK,
  COUNT,
  fieldsOf,
  ifGiven,
  numberLike,
  optionsOf,
  PEM,
  RESERVE,
  SOME_MS,
  textLike,
} from "../../src/core/options.ts";
import type { EngineHandler } from "../../src/engine/serve.ts";
import { CONTRACT_NAME, ENGINE_ID_HEADER } from "../json-rpc/contract.ts";
import { OwnClock } from "../json-rpc/own-clock.ts";
import { DEFAULT_MAX_IN_FLIGHT, DEFAULT_STOP_RESERVE, type LinkEvent, ON_EVENT } from "../link/link.ts";
import { linkListener } from "../link/link-events.ts";
import { ConnectionAdmission, type ConnectionRefusal, type Listening, listen, refuseUpgrade } from "./listen.ts";
import {
  DEFAULT_MAX_REQUEST_BYTES,
  DEFAULT_PING_INTERVAL_MS,
  hardLimit,
  type WebSocketBus,
  type WebSocketBusOptions,
  type WebSocketBusTls,
} from "./options.ts";
import { ServerConnection, type ServerConnectionOptions } from "./server-connection.ts";

const DEFAULT_MAX_CONNECTIONS = 64;

const checked = optionsOf<WebSocketBusOptions>("openWebSocketBus", {
  host: textLike('"127.0.0.1"'),
  port: numberLike("8989"),
  token: ifGiven(textLike("the token of the gateways")),
  tls: ifGiven(fieldsOf<WebSocketBusTls>({ cert: PEM, key: PEM, ca: ifGiven(PEM) })),
  maxMessageBytes: ifGiven(COUNT),
  maxInFlight: ifGiven(COUNT),
  stopReserve: ifGiven(RESERVE),
  maxConnections: ifGiven(COUNT),
  pingIntervalMs: ifGiven(SOME_MS),
  clock: ifGiven(CLOCK),
  onEvent: ifGiven(ON_EVENT),
});

/**
 * Opens the engine's end of a WebSocket bus (docs/engine/bus.md). Resolves when it listens; rejects with a message for the
 * operator when it cannot: a port in use, TLS material that cannot be read.
 *
 * @example
 * const bus = await openWebSocketBus({ host: "127.0.0.1", port: 8989, token });
 * await serveEngine(engine, bus);
 */
export async function openWebSocketBus(options: WebSocketBusOptions): Promise<WebSocketBus> {
  const admission = new ConnectionAdmission(checked(options).token);
  return new ListeningBus(options, admission, await listen(options));
}

type Limits = Pick<
  ServerConnectionOptions,
  "maxMessageBytes" | "maxInFlight" | "stopReserve" | "pingIntervalMs" | "clock"
>;

class ListeningBus implements WebSocketBus {
  readonly url: string;
  readonly #listening: Listening;
  readonly #webSockets: WebSocketServer;
  readonly #admission: ConnectionAdmission;
  readonly #limits: Limits;
  readonly #maxConnections: number;
  readonly #onEvent: (event: LinkEvent) => void;
  readonly #connections = new Set<ServerConnection>();
  #handler: EngineHandler = async () => ({
    ok: false,
    refusal: "unavailable",
    message: "The engine has not started yet",
  });
  #overloaded = false;
  #gone: Promise<void> | undefined;

  constructor(options: WebSocketBusOptions, admission: ConnectionAdmission, listening: Listening) {
    this.url = listening.url;
    const id = randomUUID();
    this.#listening = listening;
    this.#admission = admission;
    this.#limits = {
      maxMessageBytes: options.maxMessageBytes ?? DEFAULT_MAX_REQUEST_BYTES,
      maxInFlight: options.maxInFlight ?? DEFAULT_MAX_IN_FLIGHT,
      stopReserve: options.stopReserve ?? DEFAULT_STOP_RESERVE,
      pingIntervalMs: options.pingIntervalMs ?? DEFAULT_PING_INTERVAL_MS,
      clock: new OwnClock(options.clock ?? systemClock, id),
    };
    this.#maxConnections = options.maxConnections ?? DEFAULT_MAX_CONNECTIONS;
    this.#onEvent = linkListener(options.onEvent ?? (() => {})).tell;
    this.#webSockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      skipUTF8Validation: true,
      maxPayload: hardLimit(this.#limits.maxMessageBytes),
      handleProtocols: () => CONTRACT_NAME,
    });
    this.#webSockets.on("headers", (headers) => headers.push(`${ENGINE_ID_HEADER}: ${id}`));
    this.#serve(listening.server);
  }

  #serve(server: Server): void {
    server.on("request", askForUpgrade);
    server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
    server.on("tlsClientError", ({ message }, socket) => {
      this.#onEvent({ kind: "problem", message: `TLS handshake with ${addressOf(socket)} failed: ${message}` });
    });
  }

  listen(handler: EngineHandler): void {
    this.#handler = handler;
  }

  setOverloaded(overloaded: boolean): void {
    if (overloaded === this.#overloaded) return;
    this.#overloaded = overloaded;
    for (const connection of this.#connections) connection.sendStatus(overloaded);
  }

  close(): Promise<void> {
    this.#gone ??= this.#close();
    return this.#gone;
  }

  async #close(): Promise<void> {
    const { server, sockets } = this.#listening;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    // The replies that the engine has given are sent first.
    await endOfTick();
    await Promise.all([...this.#connections].map((connection) => connection.close()));
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const refusal = this.#refusal(request);
    if (!refusal) {
      this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => this.#accept(webSocket, request.socket));
      return;
    }
    const message = `Connection from ${addressOf(request.socket)} refused: ${refusal.status}, ${refusal.message}`;
    refuseUpgrade(socket, refusal);
    this.#onEvent({ kind: "problem", message });
  }

  #refusal(request: IncomingMessage): ConnectionRefusal | undefined {
    if (this.#gone) return { status: 503, message: "The engine is closing" };
    const refusal = this.#admission.check(request);
    if (refusal || this.#connections.size < this.#maxConnections) return refusal;
    return { status: 503, message: `The engine has its ${this.#maxConnections} connections already` };
  }

  #accept(webSocket: WebSocket, socket: Socket): void {
    const peer = addressOf(socket);
    const connection = new ServerConnection(webSocket, socket, {
      ...this.#limits,
      handler: (request) => this.#handler(request),
      onProblem: (message) => this.#onEvent({ kind: "problem", message: `Gateway ${peer}: ${message}` }),
      onClosed: (reason) => {
        this.#connections.delete(connection);
        this.#onEvent({ kind: "down", message: `Gateway ${peer} is gone: ${reason}` });
      },
    });
    this.#connections.add(connection);
    if (this.#overloaded) connection.sendStatus(true);
    this.#onEvent({ kind: "up", message: `Gateway ${peer} has connected` });
  }
}

function askForUpgrade(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(426, { connection: "close", upgrade: "websocket", "content-type": "text/plain; charset=utf-8" });
  response.end(`This is an engine; connect with WebSocket, subprotocol ${CONTRACT_NAME}`);
}

function addressOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress ?? "unknown"}:${remotePort ?? 0}`;
}
