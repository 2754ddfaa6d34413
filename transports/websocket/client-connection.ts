import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { WebSocket } from "ws";
import type { Clock } from "../../src/core/clock.ts";
import { type EngineExchange, type EngineRequest, TransportError } from "../../src/core/engine/transport.ts";
import type { Gate } from "../../src/core/load/gate.ts";
import type { Lane } from "../../src/core/operations/operation.ts";
import { ENGINE_ID_HEADER } from "../json-rpc/contract.ts";
import { takesTurns } from "../json-rpc/parse-reply.ts";
import { LONG_BYTES, ReplyScan } from "../json-rpc/reply-scan.ts";
import { encodeRequest, salvageIdOfLong } from "../json-rpc/requests.ts";
import type { EngineClock } from "../link/engine-clock.ts";
import { STOP_RESERVE_BYTES } from "../link/link.ts";
import { LinkInflow } from "../link/link-inflow.ts";
import { type PendingRequest, PendingRequests } from "../link/pending-requests.ts";
import { closeReason, errorReason, type OpeningSocket } from "./dialer.ts";
import { FrameBatch } from "./frame-batch.ts";
import { KeepAlive } from "./keep-alive.ts";
import { CLOSE_TIMEOUT_MS } from "./options.ts";
import { type FrameFault, type FrameFromEngine, type ReplyFrame, readFrameFromEngine } from "./reply-frame.ts";

export interface ClientConnectionOptions {
  readonly clock: Clock;
  readonly pingIntervalMs: number;
  readonly maxMessageBytes: number;
  readonly maxBufferedBytes: number;
  readonly gate: Gate | undefined;
  readonly engineClock: EngineClock;
}

export interface ClientConnectionEvents {
  /** `engineId` is what the engine calls its process, if it does. */
  opened(engineId: string | undefined): void;
  /** The connection was closed or failed; after it come only problems with what had arrived. */
  closed(reason: string): void;
  /** A reply of `bytes` bytes has arrived. */
  replied(method: string, bytes: number): void;
  /** The engine violated the contract, in a way that `kind` names. */
  problem(kind: string, message: string): void;
}

/** The gateway's end of one connection, from the first attempt to its end. Ids are never reused on it. */
export class ClientConnection {
  readonly #webSocket: WebSocket;
  readonly #options: ClientConnectionOptions;
  readonly #events: ClientConnectionEvents;
  readonly #batch: FrameBatch;
  readonly #pending = new PendingRequests<number, PendingRequest & { readonly method: string }>();
  readonly #inflow: LinkInflow;
  /** Frames that are being read at turns of the gate. */
  readonly #reading = new Map<Promise<void>, Buffer>();
  #ping: NodeJS.Immediate | undefined;
  #pingData: Buffer | undefined;
  #lastId = 0;
  #overloaded = false;
  #received = false;
  #closing = false;
  #engineId: string | undefined;
  #reason: string | undefined;
  #heartbeat: KeepAlive | undefined;
  #cancelTimeout: () => void;

  constructor({ webSocket, socket }: OpeningSocket, options: ClientConnectionOptions, events: ClientConnectionEvents) {
    this.#webSocket = webSocket;
    this.#options = options;
    this.#events = events;
    this.#batch = new FrameBatch(webSocket, socket);
    const { clock, gate } = options;
    this.#inflow = new LinkInflow({
      clock,
      gate,
      isStopWaiting: () => this.#pending.haveStop,
      onFlood: (reason) => this.#giveUp(reason),
    });
    this.#cancelTimeout = this.#giveUpAfter(2 * options.pingIntervalMs, "no reply to the request to connect");
    webSocket.on("upgrade", ({ headers }) => {
      this.#engineId = headers[ENGINE_ID_HEADER.toLowerCase()]?.toString();
    });
    webSocket.on("open", () => this.#opened(socket));
    webSocket.on("message", (data, isBinary) => this.#arrived(data as Buffer, isBinary));
    webSocket.on("ping", (data) => this.#pinged(data));
    webSocket.on("pong", () => {
      this.#received = true;
    });
    webSocket.on("unexpected-response", (_request, { statusCode = 0 }) => {
      const status = `${statusCode} ${STATUS_CODES[statusCode] ?? ""}`.trimEnd();
      this.#reason ??= `it refused the connection: ${status}${statusCode === 401 ? "; check the token" : ""}`;
      webSocket.terminate();
    });
    webSocket.on("error", (error) => {
      this.#reason ??= errorReason(error);
    });
    webSocket.on("close", (code, reason) => this.#closed(code, reason));
  }

  get isOpen(): boolean {
    return this.#webSocket.readyState === WebSocket.OPEN;
  }

  /** Whether anything, even a pong, has arrived on this connection. */
  get hasReceived(): boolean {
    return this.#received;
  }

  /** Whether it was closed since the engine sent too much. */
  get isFlooded(): boolean {
    return this.#inflow.isFlooded;
  }

  exchange(request: EngineRequest): EngineExchange {
    const { lane, method } = request;
    this.#checkCapacity(lane);
    const { engineClock } = this.#options;
    const id = this.#lastId + 1;
    this.#batch.add(encodeRequest(id, request, engineClock));
    this.#lastId = id;
    return this.#pending.add(id, { method, lane, sentAt: engineClock.moment() });
  }

  /** Fails all pending requests, starts the closing handshake, and resolves when the socket is closed. */
  close(): Promise<void> {
    const gone = new Promise<void>((resolve) => this.#webSocket.once("close", () => resolve()));
    this.#closing = true;
    this.#fail("The link to the engine was closed");
    this.#heartbeat?.stop();
    this.#cancelTimeout();
    if (this.isOpen) {
      this.#webSocket.close(1000);
      this.#cancelTimeout = this.#giveUpAfter(CLOSE_TIMEOUT_MS, "no reply to the goodbye");
    } else {
      this.#webSocket.terminate();
    }
    return gone;
  }

  #opened(socket: Socket): void {
    this.#cancelTimeout();
    const { clock, pingIntervalMs } = this.#options;
    this.#heartbeat = new KeepAlive(this.#webSocket, socket, clock, pingIntervalMs, () => {
      this.#reason ??= `nothing came within ${pingIntervalMs} ms of a ping`;
    });
    this.#events.opened(this.#engineId);
  }

  /** Answers the latest ping of a turn, which is enough (RFC 6455, section 5.5.3): each pong is a call of the system. */
  #pinged(data: Buffer): void {
    this.#inflow.unwanted();
    this.#ping ??= setImmediate(() => {
      this.#ping = undefined;
      if (this.isOpen && this.#batch.bufferedBytes <= this.#options.maxBufferedBytes)
        this.#webSocket.pong(this.#pingData);
    });
    this.#pingData = data;
  }

  #checkCapacity(lane: Lane): void {
    if (this.#overloaded && lane !== "stop") {
      throw new TransportError("overloaded", "The engine says that it is overloaded", { sent: false });
    }
    const limit = this.#options.maxBufferedBytes + (lane === "stop" ? STOP_RESERVE_BYTES : 0);
    if (this.#batch.bufferedBytes <= limit) return;
    throw new TransportError("overloaded", "Too much waits to be sent to the engine", { sent: false });
  }

  /** A message is read only if a request waits for it, or if that cannot be told otherwise. */
  #arrived(data: Buffer, isBinary: boolean): void {
    if (this.#closing || this.isFlooded) return;
    this.#received = true;
    const id = isBinary ? undefined : salvageIdOfLong(data);
    const standing = id === undefined ? "awaited" : this.#pending.standingOf(id);
    const isRead = standing === "awaited" || (standing === "answered" && data.length < LONG_BYTES);
    if (id !== undefined && !isRead) this.#unasked(id);
    else this.#read(data, isBinary, id);
  }

  /** Long replies are parsed at turns; meanwhile short ones overtake them. */
  #read(data: Buffer, isBinary: boolean, id: number | undefined): void {
    const scan = new ReplyScan(data);
    const use = (): void => this.#receive(readFrameFromEngine(scan, isBinary, this.#options), data.length);
    const reading = this.#inflow.read(scan, takesTurns(data, this.#laneOf(id)), use);
    if (!reading) return;
    const received = reading.then(() => void this.#reading.delete(received));
    this.#reading.set(received, data);
  }

  /** The lane of an awaited reply; of one whose id cannot be told, a read if it may be for one. */
  #laneOf(id: number | undefined): Lane {
    const sent = id === undefined ? undefined : this.#pending.get(id);
    if (sent) return sent.lane;
    const isForOther =
      id === undefined && this.#pending.size > 0 && this.#pending.all.every(([, { lane }]) => lane !== "read");
    return isForOther ? "change" : "read";
  }

  #receive(incoming: FrameFromEngine, bytes: number): void {
    if (this.#closing) return;
    if (incoming.kind === "reply") this.#settle(incoming, bytes);
    else if (incoming.kind === "fault") this.#rejectInvalid(incoming);
    else {
      this.#overloaded = incoming.overloaded;
      this.#inflow.unwanted();
    }
  }

  #settle({ id, reply }: ReplyFrame, bytes: number): void {
    const sent = this.#pending.get(id);
    if (!sent) {
      this.#unasked(id, this.#pending.compare(id, reply, bytes));
      return;
    }
    this.#events.replied(sent.method, bytes);
    if (reply.now !== undefined) this.#options.engineClock.replied(sent.sentAt, reply.now, reply.clock);
    this.#pending.settle(id, reply, bytes);
  }

  #unasked(id: number, contradicts = false): void {
    const what = this.#pending.unasked(id, contradicts, () => this.#inflow.unwanted());
    this.#events.problem(what, `The engine replied to request ${id}, ${what}`);
  }

  /** An invalid reply fails its own request, if its id is readable, and no other. */
  #rejectInvalid({ id, message, cause }: FrameFault): void {
    const text = `The engine sent ${message}`;
    const error = new TransportError("protocol", text, { sent: true, cause });
    if (typeof id === "number" && this.#pending.settle(id, error)) return;
    this.#inflow.unwanted();
    this.#events.problem("fault", text);
  }

  #closed(code: number, reason: Buffer): void {
    this.#heartbeat?.stop();
    this.#cancelTimeout();
    const why = this.#reason ?? closeReason(code, reason);
    this.#fail(`The link to the engine was lost: ${why}`);
    this.#events.closed(why);
  }

  /** Fails what waits for a reply; of a link that is lost, those whose replies are being read only if these say nothing of them. */
  #fail(message: string): void {
    this.#batch.stop();
    // Ids are in sending order, so the unsent frames in the batch are those of the last ids.
    const lastSent = this.#lastId - this.#batch.size;
    const fail = (isLost: (id: number) => boolean): void => {
      for (const [id] of this.#pending.all.filter(([id]) => isLost(id))) {
        this.#pending.fail(id, new TransportError("unavailable", message, { sent: id <= lastSent }));
      }
    };
    const inReading = new Set(this.#closing || this.isFlooded ? [] : [...this.#reading.values()].map(salvageIdOfLong));
    fail((id) => !inReading.has(undefined) && !inReading.has(id));
    if (inReading.size > 0) void Promise.allSettled(this.#reading.keys()).then(() => fail(() => true));
  }

  #giveUp(reason: string): void {
    this.#reason ??= reason;
    this.#webSocket.terminate();
  }

  #giveUpAfter(delayMs: number, reason: string): () => void {
    return this.#options.clock.schedule(delayMs, () => {
      this.#giveUp(`${reason} within ${delayMs} ms`);
    });
  }
}
