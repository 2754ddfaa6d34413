import type { Socket } from "node:net";
import { WebSocket } from "ws";
import type { Clock } from "../../src/core/clock.ts";
import { arrived, type EngineReply, type EngineRequest } from "../../src/core/engine/transport.ts";
import { isThenable } from "../../src/core/values/basics.ts";
import type { EngineHandler } from "../../src/engine/serve.ts";
import { ENGINE_STATUS } from "../json-rpc/contract.ts";
import { encodeReply, OVERLOADED, replyBody, replyTime } from "../json-rpc/replies.ts";
import { closeReason, errorReason } from "./close-reason.ts";
import { CLOSE_TIMEOUT_MS } from "./defaults.ts";
import { FrameBatch } from "./frame-batch.ts";
import { type Arrived, readFrame } from "./incoming-frame.ts";
import { KeepAlive } from "./keep-alive.ts";

/** Bytes that a gateway may leave unread before it is dropped. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

export interface GatewayConnectionOptions {
  readonly maxMessageBytes: number;
  readonly maxInFlight: number;
  readonly stopReserve: number;
  readonly pingIntervalMs: number;
  readonly clock: Clock;
  /** Replies to the requests; may change during the life of the connection. */
  readonly handler: EngineHandler;
  /** The gateway sent something that is not of the contract. */
  readonly onProblem: (message: string) => void;
  /** The connection is gone. */
  readonly onClosed: (reason: string) => void;
}

/** The engine's end of one connection. Requests are handed over in the order in which they arrive. */
export class GatewayConnection {
  readonly #webSocket: WebSocket;
  readonly #options: GatewayConnectionOptions;
  readonly #batch: FrameBatch;
  readonly #heartbeat: KeepAlive;
  #inFlight = 0;
  #reason: string | undefined;
  #cancelTimeout: () => void = () => {};

  constructor(webSocket: WebSocket, socket: Socket, options: GatewayConnectionOptions) {
    this.#webSocket = webSocket;
    this.#options = options;
    this.#batch = new FrameBatch(webSocket, socket);
    this.#heartbeat = new KeepAlive(webSocket, socket, options.clock, options.pingIntervalMs, () => {
      this.#reason ??= `nothing came within ${options.pingIntervalMs} ms of a ping`;
    });
    webSocket.on("message", (data, isBinary) => this.#receive(data as Buffer, isBinary));
    webSocket.on("error", (error) => {
      this.#reason ??= errorReason(error);
    });
    webSocket.on("close", (code, reason) => this.#closed(code, reason));
  }

  /** Says to the gateway whether to send more than stops. */
  sendStatus(overloaded: boolean): void {
    this.#send(JSON.stringify({ jsonrpc: "2.0", method: ENGINE_STATUS, params: { overloaded } }));
  }

  /** Says goodbye; the connection is cut when that has no response. Resolves when it is gone. */
  close(): Promise<void> {
    this.#heartbeat.stop();
    this.#batch.flush();
    this.#webSocket.close(1001);
    this.#cancelTimeout = this.#options.clock.schedule(CLOSE_TIMEOUT_MS, () => this.#webSocket.terminate());
    return new Promise((resolve) => this.#webSocket.once("close", () => resolve()));
  }

  #receive(data: Buffer, isBinary: boolean): void {
    // What arrives after the goodbye could get no reply any more, so it must not be begun.
    if (this.#webSocket.readyState !== WebSocket.OPEN) return;
    const frame = readFrame(data, isBinary, this.#options.maxMessageBytes);
    if (frame.kind === "request") {
      this.#run(frame);
    } else {
      this.#options.onProblem(frame.message);
      if (frame.kind === "fault") this.#send(encodeReply(frame.id, frame.body));
    }
  }

  #run(frame: Arrived): void {
    const { maxInFlight, stopReserve } = this.#options;
    const limit = maxInFlight + (frame.request.lane === "stop" ? stopReserve : 0);
    const reply = this.#inFlight < limit ? this.#ask(frame.request) : OVERLOADED;
    if (isThenable(reply)) void this.#await(frame, reply);
    else this.#reply(frame, reply);
  }

  #ask(request: EngineRequest): EngineReply | Promise<EngineReply> {
    const { handler, clock } = this.#options;
    try {
      return handler(arrived(request, clock));
    } catch (error) {
      return failure(error);
    }
  }

  async #await(frame: Arrived, reply: Promise<EngineReply>): Promise<void> {
    this.#inFlight += 1;
    const outcome = await reply.catch(failure);
    this.#inFlight -= 1;
    this.#reply(frame, outcome);
  }

  #reply({ id, request }: Arrived, reply: EngineReply): void {
    if (this.#webSocket.readyState !== WebSocket.OPEN) return;
    const now = replyTime(request, this.#options.clock);
    try {
      this.#send(encodeReply(id, replyBody(reply), now));
    } catch (error) {
      // A result that JSON cannot hold.
      this.#send(encodeReply(id, replyBody(failure(error)), now));
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

/** The reply for an engine that fails; whether it changed anything is not known. */
function failure(error: unknown): EngineReply {
  return { ok: false, refusal: "internal", message: error instanceof Error ? error.message : String(error) };
}
