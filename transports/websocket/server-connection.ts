import type { Socket } from "node:net";
import { WebSocket } from "ws";
import type { EngineReply } from "../../src/core/engine/transport.ts";
import { type EngineHandler, internalFailure } from "../../src/engine/serve.ts";
import { ENGINE_STATUS } from "../json-rpc/contract.ts";
import type { OwnClock } from "../json-rpc/own-clock.ts";
import { encodeReply, OVERLOADED, replyBody } from "../json-rpc/replies.ts";
import { closeReason, errorReason } from "./dialer.ts";
import { FrameBatch } from "./frame-batch.ts";
import { KeepAlive } from "./keep-alive.ts";
import { CLOSE_TIMEOUT_MS } from "./options.ts";
import { type RequestFrame, readFrameFromGateway } from "./request-frame.ts";

/** Bytes of unread replies before a gateway is disconnected. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

export interface ServerConnectionOptions {
  readonly maxMessageBytes: number;
  readonly maxInFlight: number;
  readonly stopReserve: number;
  readonly pingIntervalMs: number;
  readonly clock: OwnClock;
  /** Replies to the requests; may change during the life of the connection. */
  readonly handler: EngineHandler;
  /** The gateway violated the contract. */
  readonly onProblem: (message: string) => void;
  readonly onClosed: (reason: string) => void;
}

/** The engine's end of one connection. Requests are handed over in the order in which they arrive. */
export class ServerConnection {
  readonly #webSocket: WebSocket;
  readonly #options: ServerConnectionOptions;
  readonly #batch: FrameBatch;
  readonly #heartbeat: KeepAlive;
  #inFlight = 0;
  #reason: string | undefined;
  #cancelTimeout: () => void = () => {};

  constructor(webSocket: WebSocket, socket: Socket, options: ServerConnectionOptions) {
    this.#webSocket = webSocket;
    this.#options = options;
    this.#batch = new FrameBatch(webSocket, socket);
    this.#heartbeat = new KeepAlive(webSocket, socket, options.clock.clock, options.pingIntervalMs, () => {
      this.#reason ??= `nothing came within ${options.pingIntervalMs} ms of a ping`;
    });
    webSocket.on("message", (data, isBinary) => this.#receive(data as Buffer, isBinary));
    webSocket.on("error", (error) => {
      this.#reason ??= errorReason(error);
    });
    webSocket.on("close", (code, reason) => this.#closed(code, reason));
  }

  /** Tells the gateway whether to send more than stops. */
  sendStatus(overloaded: boolean): void {
    this.#send(JSON.stringify({ jsonrpc: "2.0", method: ENGINE_STATUS, params: { overloaded } }));
  }

  /** Starts the closing handshake, with a timeout. Resolves when the connection is closed. */
  close(): Promise<void> {
    this.#heartbeat.stop();
    this.#batch.flush();
    this.#webSocket.close(1001);
    this.#cancelTimeout = this.#options.clock.clock.schedule(CLOSE_TIMEOUT_MS, () => this.#webSocket.terminate());
    return new Promise((resolve) => this.#webSocket.once("close", () => resolve()));
  }

  #receive(data: Buffer, isBinary: boolean): void {
    // A request that arrives after the close frame could get no reply, so it must not be started.
    if (this.#webSocket.readyState !== WebSocket.OPEN) return;
    const frame = readFrameFromGateway(data, isBinary, this.#options.maxMessageBytes);
    if (frame.kind === "request") {
      void this.#run(frame);
    } else {
      this.#options.onProblem(frame.message);
      if (frame.kind === "fault") this.#send(encodeReply(frame.id, frame.body));
    }
  }

  async #run(frame: RequestFrame): Promise<void> {
    const { maxInFlight, stopReserve, handler, clock } = this.#options;
    const limit = maxInFlight + (frame.request.lane === "stop" ? stopReserve : 0);
    if (this.#inFlight >= limit) return this.#reply(frame, OVERLOADED);
    this.#inFlight += 1;
    const reply = await clock.hand(frame.request, handler).catch(internalFailure);
    this.#inFlight -= 1;
    this.#reply(frame, reply);
  }

  #reply({ id, request }: RequestFrame, reply: EngineReply): void {
    if (this.#webSocket.readyState !== WebSocket.OPEN) return;
    const time = this.#options.clock.told(request);
    try {
      this.#send(encodeReply(id, replyBody(reply), time));
    } catch (error) {
      // The result has no JSON.
      this.#send(encodeReply(id, replyBody(internalFailure(error)), time));
    }
  }

  #send(frame: string): void {
    this.#batch.add(frame);
    if (this.#batch.bufferedBytes <= MAX_UNREAD_BYTES) return;
    this.#reason ??= `it left more than ${MAX_UNREAD_BYTES} bytes of replies unread`;
    this.#webSocket.terminate();
  }

  #closed(code: number, reason: Buffer): void {
    this.#heartbeat.stop();
    this.#batch.stop();
    this.#cancelTimeout();
    this.#options.onClosed(this.#reason ?? closeReason(code, reason));
  }
}
