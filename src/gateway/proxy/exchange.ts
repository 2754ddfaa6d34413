import type { ClientRequest, IncomingMessage, InformationEvent, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { MONITOR_CALLER } from "../../core/load/caller-queue.ts";
import type { Gate } from "../../core/load/gate.ts";
import { continueDeferred } from "../../http/node-body.ts";
import { MonitorTimeoutError } from "./connections.ts";
import { forwardStream } from "./forward-stream.ts";
import type { OutgoingListener } from "./http-proxy.ts";
import {
  type BodyFraming,
  type HeaderFilter,
  handInformation,
  isChunked,
  respondWithText,
  responseHeaders,
  trailersOf,
} from "./messages.ts";

/** How much of a response is forwarded immediately: as a rule all of it, and its request has had a turn. */
const IMMEDIATE_BYTES = 8 * 1024;

/** Informational responses to one request. */
const MAX_INFORMATION = 16;

/** Takes over when the monitor switches protocols. */
export type UpgradeTaker = (reply: IncomingMessage, socket: Socket, head: Buffer) => void;

export interface ExchangeOptions {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly framing: BodyFraming;
  /** Decides when responses are handed on. */
  readonly gate: Gate;
  /** Opens the request to the monitor. */
  readonly send: (listener: OutgoingListener) => void;
  /** Timeout for the monitor's response, in milliseconds. */
  readonly responseTimeoutMs: number;
  readonly passes: HeaderFilter;
  /** Called once, with an error if the monitor did not respond; not called if the caller disconnected. */
  readonly outcome: (error: Error | undefined) => void;
  /** Without it, a response that switches protocols is a failure. */
  readonly upgraded?: UpgradeTaker;
}

/** Streams a request to the monitor and its response back, and releases both sides in any case. */
export class Exchange {
  readonly #options: ExchangeOptions;
  readonly #silence: NodeJS.Timeout;
  #outgoing: ClientRequest | undefined;
  #reply: IncomingMessage | undefined;
  #settled = false;
  #awaitsContinue = false;
  #informed = 0;
  #written = 0;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#silence = setTimeout(() => this.#inTurn(() => this.#checkSilence()), options.responseTimeoutMs);
    // The caller has disconnected, or has the response.
    options.response.once("close", () => {
      if (!this.#settled) this.#stop();
    });
  }

  /** Sends the request, or sends it again. */
  start(): void {
    let mine: ClientRequest | undefined;
    this.#options.send({
      begin: (outgoing) => {
        mine = outgoing;
        this.#begin(outgoing);
      },
      failed: (error) => {
        this.#inTurn(() => {
          if (mine === this.#outgoing) this.#failed(error);
        });
      },
    });
  }

  #begin(outgoing: ClientRequest): void {
    const { upgraded } = this.#options;
    this.#outgoing = outgoing;
    outgoing.once("response", (reply) => {
      clearTimeout(this.#silence);
      this.#inTurn(() => this.#relay(reply));
    });
    // Not every way to end without a response is an error to Node: a switch of protocols that no one asked for is none.
    outgoing.once("close", () => {
      this.#inTurn(() => {
        if (outgoing === this.#outgoing) this.#closed();
      });
    });
    outgoing.on("information", (information) => this.#inform(information));
    if (upgraded) {
      outgoing.once("upgrade", (reply, socket, head) => {
        clearTimeout(this.#silence);
        // It may fail before its turn.
        socket.on("error", () => {});
        this.#inTurn(() => this.#upgrade(reply, socket, () => upgraded(reply, socket, head)));
      });
    }
    this.#sendBody(outgoing);
  }

  /** One event of the monitor may affect hundreds of requests. The order of events is kept. */
  #inTurn(job: () => void): void {
    this.#options.gate.schedule(MONITOR_CALLER, "other", job);
  }

  #failed(error: Error): void {
    if (this.#settled || this.#reply) return;
    if (this.#metClosing(error)) {
      this.start();
      return;
    }
    const { request, response, outcome } = this.#options;
    this.#stop();
    outcome(error);
    if (error instanceof MonitorTimeoutError)
      respondWithText(response, 504, "The monitor backend did not respond in time");
    else respondWithText(response, 502, "The monitor backend cannot be reached, or its response is not valid");
    // The rest of the request is skipped, so that the connection can be reused.
    request.resume();
  }

  /** Whether a read met an idle connection that the monitor was closing: it was not served (RFC 9112 section 9.3.1). */
  #metClosing(error: NodeJS.ErrnoException): boolean {
    const { request, framing } = this.#options;
    const isRead = framing === "none" && (request.method === "GET" || request.method === "HEAD");
    return isRead && this.#outgoing?.reusedSocket === true && error.code === "ECONNRESET";
  }

  #closed(): void {
    if (this.#settled) return;
    if (!this.#reply) {
      this.#failed(new Error("the connection was closed without a response"));
    } else if (!this.#reply.complete) {
      // The caller must see that the response is incomplete.
      this.#stop();
      this.#options.response.destroy();
    }
  }

  #sendBody(outgoing: ClientRequest): void {
    const { request, framing } = this.#options;
    if (framing === "none") {
      outgoing.end();
      return;
    }
    if (framing === "chunks") {
      outgoing.removeHeader("content-length");
      outgoing.setHeader("transfer-encoding", "chunked");
      if (request.headers.trailer !== undefined) outgoing.setHeader("trailer", request.headers.trailer);
    }
    if (/^100-continue$/i.test(request.headers.expect ?? "")) {
      this.#awaitsContinue = true;
      outgoing.setHeader("expect", "100-continue");
      outgoing.flushHeaders();
    }
    request.pipe(outgoing, { end: false });
    request.once("end", () => {
      if (framing === "chunks") outgoing.addTrailers(trailersOf(request));
      outgoing.end();
    });
  }

  #inform(information: InformationEvent): void {
    const { request, response } = this.#options;
    if (this.#settled) return;
    this.#informed += 1;
    if (this.#informed > MAX_INFORMATION) {
      this.#failed(new Error(`it sent more than ${MAX_INFORMATION} informational responses to one request`));
    } else if (information.statusCode === 100) {
      if (this.#awaitsContinue) continueDeferred(request, response);
      this.#awaitsContinue = false;
    } else {
      handInformation(information, response);
    }
  }

  #upgrade(reply: IncomingMessage, socket: Socket, take: () => void): void {
    if (this.#settled) {
      socket.destroy();
    } else if (socket.destroyed) {
      this.#closed();
    } else {
      this.#begun(reply);
      this.#settled = true;
      take();
    }
  }

  #relay(reply: IncomingMessage): void {
    if (this.#settled) return;
    const { request, response } = this.#options;
    const chunked = isChunked(request, reply);
    const coding = reply.headers["transfer-encoding"];
    try {
      if (coding !== undefined && coding.toLowerCase() !== "chunked") throw new Error(`unknown coding ${coding}`);
      const phrase = /^[\t\x20-\x7e\x80-\xff]*$/.test(reply.statusMessage ?? "") ? reply.statusMessage : "";
      response.writeHead(reply.statusCode ?? 0, phrase, responseHeaders(reply, chunked, this.#options.passes));
    } catch (cause) {
      this.#failed(new Error("the response cannot be handed on", { cause }));
      return;
    }
    this.#begun(reply);
    forwardStream(reply, response, this.#options.gate, IMMEDIATE_BYTES);
    reply.once("end", () => this.#finish(reply, chunked));
    // Headers must not wait for the body, as with server-sent events.
    process.nextTick(() => {
      if (!this.#settled && !reply.complete && reply.readableLength === 0) response.flushHeaders();
    });
  }

  #begun(reply: IncomingMessage): void {
    this.#reply = reply;
    clearTimeout(this.#silence);
    this.#options.outcome(undefined);
  }

  #finish(reply: IncomingMessage, chunked: boolean): void {
    if (this.#settled) return;
    const { request, response, passes } = this.#options;
    if (chunked) response.addTrailers(trailersOf(reply, passes));
    response.end();
    // A response that did not wait for the whole request ends the upload.
    if (this.#outgoing?.writableFinished) {
      this.#settled = true;
    } else {
      this.#stop();
      request.resume();
    }
  }

  #stop(): void {
    this.#settled = true;
    clearTimeout(this.#silence);
    const { request } = this.#options;
    if (this.#outgoing) request.unpipe(this.#outgoing);
    this.#outgoing?.destroy();
  }

  /** Only the monitor's silence counts: not a slow caller's, nor while bytes flow. */
  #checkSilence(): void {
    if (this.#settled || this.#reply) return;
    const { request, framing, responseTimeoutMs } = this.#options;
    const written = this.#outgoing?.socket?.bytesWritten ?? 0;
    const callerIsSlow = !request.complete && !this.#awaitsContinue && this.#outgoing?.writableNeedDrain === false;
    if (framing !== "none" && (callerIsSlow || written !== this.#written)) {
      this.#written = written;
      this.#silence.refresh();
    } else {
      this.#failed(new MonitorTimeoutError(`no response within ${responseTimeoutMs} ms`));
    }
  }
}
