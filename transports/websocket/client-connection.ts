import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { WebSocket } from "ws";
import type { Clock } from "../../src/core/clock.ts";
import {
  type EngineExchange,
  type EngineReply,
  type EngineRequest,
  TransportError,
} from "../../src/core/engine/transport.ts";
import { ENGINE_CALLER } from "../../src/core/load/caller-queue.ts";
import type { Gate } from "../../src/core/load/gate.ts";
import { atOnce } from "../../src/core/load/steps.ts";
import type { Lane } from "../../src/core/operations/operation.ts";
import { ENGINE_ID_HEADER } from "../json-rpc/contract.ts";
import { takesTurns } from "../json-rpc/parse-in-steps.ts";
import { encodeRequest, salvageIdOfLong } from "../json-rpc/requests.ts";
import type { EngineClock } from "../link/engine-clock.ts";
import { STOP_RESERVE_BYTES } from "../link/limits.ts";
import { closeReason, errorReason } from "./close-reason.ts";
import { CLOSE_TIMEOUT_MS } from "./defaults.ts";
import type { OpeningSocket } from "./dialer.ts";
import { FrameBatch } from "./frame-batch.ts";
import { KeepAlive } from "./keep-alive.ts";
import { type FrameFault, type FrameFromEngine, type ReplyFrame, readFrameFromEngine } from "./reply-frame.ts";

export interface ClientConnectionOptions {
  readonly clock: Clock;
  readonly pingIntervalMs: number;
  readonly maxMessageBytes: number;
  readonly maxBufferedBytes: number;
  readonly gate: Gate | undefined;
  readonly engineClock: EngineClock;
}

/** What happens to an {@link ClientConnection}. */
export interface ClientConnectionEvents {
  /** `engineId` is what the engine calls its process, if it does. */
  opened(engineId: string | undefined): void;
  /** The connection was closed or failed; after it come only problems with what had arrived. */
  closed(reason: string): void;
  /** A reply has come, of so many bytes. */
  replied(method: string, bytes: number): void;
  /** The engine violated the contract. */
  problem(message: string): void;
}

interface Waiter {
  readonly method: string;
  readonly lane: Lane;
  readonly sentAt: number;
  readonly resolve: (reply: EngineReply) => void;
  readonly reject: (error: TransportError) => void;
}

/** The gateway's end of one connection, from the first attempt to its end. Ids are never reused on it. */
export class ClientConnection {
  readonly #webSocket: WebSocket;
  readonly #options: ClientConnectionOptions;
  readonly #events: ClientConnectionEvents;
  readonly #batch: FrameBatch;
  readonly #waiters = new Map<number, Waiter>();
  /** Frames that are being read at turns of the gate. */
  readonly #reading = new Map<Promise<void>, Buffer>();
  #lastId = 0;
  #overloaded = false;
  #heard = false;
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
    this.#cancelTimeout = this.#giveUpAfter(2 * options.pingIntervalMs, "no reply to the request to connect");
    webSocket.on("upgrade", ({ headers }) => {
      this.#engineId = headers[ENGINE_ID_HEADER.toLowerCase()]?.toString();
    });
    webSocket.on("open", () => this.#opened(socket));
    webSocket.on("message", (data, isBinary) => this.#arrived(data as Buffer, isBinary));
    webSocket.on("pong", () => {
      this.#heard = true;
    });
    webSocket.on("unexpected-response", (_request, { statusCode = 0 }) => {
      this.#reason ??= `it refused the connection: ${statusCode} ${STATUS_CODES[statusCode] ?? ""}`.trimEnd();
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
  get hasHeard(): boolean {
    return this.#heard;
  }

  exchange(request: EngineRequest): EngineExchange {
    const { lane, method } = request;
    this.#checkCapacity(lane);
    const { engineClock } = this.#options;
    const id = this.#lastId + 1;
    this.#batch.add(encodeRequest(id, request, engineClock));
    this.#lastId = id;
    const sentAt = engineClock.moment();
    const waiters = this.#waiters;
    const reply = new Promise<EngineReply>((resolve, reject) =>
      waiters.set(id, { method, lane, sentAt, resolve, reject }),
    );
    return { reply, abandon: () => void waiters.delete(id) };
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

  #checkCapacity(lane: Lane): void {
    if (this.#overloaded && lane !== "stop") {
      throw new TransportError("overloaded", "The engine says that it is overloaded", { sent: false });
    }
    const limit = this.#options.maxBufferedBytes + (lane === "stop" ? STOP_RESERVE_BYTES : 0);
    if (this.#batch.bufferedBytes <= limit) return;
    throw new TransportError("overloaded", "Too much waits to be sent to the engine", { sent: false });
  }

  /** What is not short is parsed at turns: meanwhile short ones overtake it. */
  #arrived(data: Buffer, isBinary: boolean): void {
    this.#heard = true;
    const { gate } = this.#options;
    const steps = readFrameFromEngine(data, isBinary, this.#options);
    // Reads that are no longer awaited have no waiters.
    const mayBeForRead = (): boolean =>
      this.#waiters.size === 0 || [...this.#waiters.values()].some(({ lane }) => lane === "read");
    if (!gate || !takesTurns(data, mayBeForRead)) this.#receive(atOnce(steps), data.length);
    else this.#receiveOnce(gate.steps(ENGINE_CALLER, steps), data);
  }

  #receiveOnce(reading: Promise<FrameFromEngine>, data: Buffer): void {
    const received = reading.then((incoming) => {
      this.#reading.delete(received);
      this.#receive(incoming, data.length);
    });
    this.#reading.set(received, data);
  }

  #receive(incoming: FrameFromEngine, bytes: number): void {
    if (this.#closing) return;
    if (incoming.kind === "status") this.#overloaded = incoming.overloaded;
    else if (incoming.kind === "fault") this.#blame(incoming);
    else this.#settle(incoming, bytes);
  }

  #settle({ id, reply }: ReplyFrame, bytes: number): void {
    const waiter = this.#waiters.get(id);
    if (!waiter) {
      this.#events.problem(`The engine replied to request ${id}, which had its reply before or is not awaited`);
      return;
    }
    this.#waiters.delete(id);
    this.#events.replied(waiter.method, bytes);
    if (reply.now !== undefined) this.#options.engineClock.replied(waiter.sentAt, reply.now);
    waiter.resolve(reply);
  }

  /** An invalid reply fails its own request, if its id is readable, and no other. */
  #blame({ id, message, cause }: FrameFault): void {
    const text = `The engine sent ${message}`;
    const waiter = typeof id === "number" && this.#waiters.get(id);
    if (waiter) {
      this.#waiters.delete(id);
      waiter.reject(new TransportError("protocol", text, { sent: true, cause }));
    } else {
      this.#events.problem(text);
    }
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
    const fail = (ids: Iterable<number>): void => {
      for (const id of ids) {
        this.#waiters.get(id)?.reject(new TransportError("unavailable", message, { sent: id <= lastSent }));
        this.#waiters.delete(id);
      }
    };
    const inReading = new Set(this.#closing ? [] : [...this.#reading.values()].map(salvageIdOfLong));
    const mayBeInReading = (id: number): boolean => inReading.has(undefined) || inReading.has(id);
    fail([...this.#waiters.keys()].filter((id) => !mayBeInReading(id)));
    if (inReading.size > 0) void Promise.allSettled(this.#reading.keys()).then(() => fail([...this.#waiters.keys()]));
  }

  #giveUpAfter(delayMs: number, reason: string): () => void {
    return this.#options.clock.schedule(delayMs, () => {
      this.#reason ??= `${reason} within ${delayMs} ms`;
      this.#webSocket.terminate();
    });
  }
}
