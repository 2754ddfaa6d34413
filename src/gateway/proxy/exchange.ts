import type { ClientRequest, IncomingMessage, InformationEvent, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { continueDeferred } from "../../http/node-messages.ts";
import { ConnectTimeoutError } from "./connections.ts";
import type { OutgoingListener } from "./http-proxy.ts";
import { type BodyFraming, isChunked, respondWithText, responseHeaders, trailersOf } from "./messages.ts";

/** The monitor took a request and was silent for too long. */
class ResponseTimeoutError extends Error {
  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`);
    this.name = "ResponseTimeoutError";
  }
}

/** Takes over when the monitor switches protocols. */
export type UpgradeTaker = (answer: IncomingMessage, socket: Socket, head: Buffer) => void;

/** One request that is handed on. */
export interface ExchangeOptions {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly framing: BodyFraming;
  /** Makes the request to the monitor. */
  readonly send: (listener: OutgoingListener) => void;
  /** Milliseconds for which the monitor may be silent before it answers. */
  readonly responseTimeoutMs: number;
  /** Called once with whether the monitor answered, and if not, why; not called when the caller went away. */
  readonly outcome: (error: Error | undefined) => void;
  /** Without it an answer that switches protocols is a failure. */
  readonly upgraded?: UpgradeTaker;
}

/** Carries a request to the monitor and its answer back, both as they come, and lets go of both sides whatever happens. */
export class Exchange {
  readonly #options: ExchangeOptions;
  readonly #silence: NodeJS.Timeout;
  #outgoing: ClientRequest | undefined;
  #answer: IncomingMessage | undefined;
  #settled = false;
  #awaitsContinue = false;
  #written = 0;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#silence = setTimeout(() => this.#checkSilence(), options.responseTimeoutMs);
    options.response.once("close", () => this.#abandon());
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
        if (mine === this.#outgoing) this.#failed(error);
      },
    });
  }

  #begin(outgoing: ClientRequest): void {
    const { upgraded } = this.#options;
    this.#outgoing = outgoing;
    outgoing.once("response", (answer) => this.#relay(answer));
    // Not every way to end without an answer is an error to Node: a switch of protocols that no one asked for is none.
    outgoing.once("close", () => {
      if (outgoing === this.#outgoing) this.#closed();
    });
    outgoing.on("information", (information) => this.#inform(information));
    if (upgraded) {
      outgoing.once("upgrade", (answer, socket, head) => {
        this.#begun(answer);
        this.#settled = true;
        upgraded(answer, socket, head);
      });
    }
    this.#sendBody(outgoing);
  }

  #failed(error: Error): void {
    if (this.#settled || this.#answer) return;
    if (this.#metClosing(error)) {
      this.start();
      return;
    }
    const { request, response, outcome } = this.#options;
    this.#stop();
    outcome(error);
    const isLate = error instanceof ConnectTimeoutError || error instanceof ResponseTimeoutError;
    if (isLate) respondWithText(response, 504, "The monitor backend did not answer in time");
    else respondWithText(response, 502, "The monitor backend cannot be reached or does not answer as it should");
    // What is still to come of the request is skipped, so that the connection can be used again.
    request.resume();
  }

  /** Whether a read met an idle connection that the monitor was closing: then it was not served (RFC 9112 section 9.3.1). */
  #metClosing(error: NodeJS.ErrnoException): boolean {
    const { request, framing } = this.#options;
    const isRead = framing === "none" && (request.method === "GET" || request.method === "HEAD");
    return isRead && this.#outgoing?.reusedSocket === true && error.code === "ECONNRESET";
  }

  #closed(): void {
    if (this.#settled) return;
    if (!this.#answer) {
      this.#failed(new Error("the connection was closed without an answer"));
    } else if (!this.#answer.complete) {
      // The answer is not whole, and the caller must see that.
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
    if (information.statusCode === 100) {
      if (this.#awaitsContinue) continueDeferred(request, response);
      this.#awaitsContinue = false;
    } else {
      handInformation(information, response);
    }
  }

  #relay(answer: IncomingMessage): void {
    const { request, response } = this.#options;
    const chunked = isChunked(request, answer);
    const coding = answer.headers["transfer-encoding"];
    try {
      if (coding !== undefined && coding.toLowerCase() !== "chunked") throw new Error(`unknown coding ${coding}`);
      const phrase = /^[\t\x20-\x7e\x80-\xff]*$/.test(answer.statusMessage ?? "") ? answer.statusMessage : "";
      response.writeHead(answer.statusCode ?? 0, phrase, responseHeaders(answer, chunked));
    } catch (cause) {
      this.#failed(new Error("the answer cannot be handed on", { cause }));
      return;
    }
    this.#begun(answer);
    answer.on("data", (chunk: Buffer) => {
      if (response.write(chunk)) return;
      answer.pause();
      response.once("drain", () => answer.resume());
    });
    answer.once("end", () => this.#finish(answer, chunked));
    // Headers without a body behind them must not wait for one, as with server-sent events.
    process.nextTick(() => {
      if (!this.#settled && !answer.complete && answer.readableLength === 0) response.flushHeaders();
    });
  }

  #begun(answer: IncomingMessage): void {
    this.#answer = answer;
    clearTimeout(this.#silence);
    this.#options.outcome(undefined);
  }

  #finish(answer: IncomingMessage, chunked: boolean): void {
    if (this.#settled) return;
    const { request, response } = this.#options;
    if (chunked) response.addTrailers(trailersOf(answer));
    response.end();
    // An answer that did not wait for the whole request ends the upload.
    if (this.#outgoing?.writableFinished) {
      this.#settled = true;
    } else {
      this.#stop();
      request.resume();
    }
  }

  /** The caller is gone, or has the response. */
  #abandon(): void {
    if (!this.#settled) this.#stop();
  }

  #stop(): void {
    this.#settled = true;
    clearTimeout(this.#silence);
    const { request } = this.#options;
    if (this.#outgoing) request.unpipe(this.#outgoing);
    this.#outgoing?.destroy();
  }

  /** Only the monitor's silence counts: not that of a caller who takes their time, nor one in which bytes move. */
  #checkSilence(): void {
    const { request, framing, responseTimeoutMs } = this.#options;
    const written = this.#outgoing?.socket?.bytesWritten ?? 0;
    const callerIsSlow = !request.complete && !this.#awaitsContinue && this.#outgoing?.writableNeedDrain === false;
    if (framing !== "none" && (callerIsSlow || written !== this.#written)) {
      this.#written = written;
      this.#silence.refresh();
    } else {
      this.#failed(new ResponseTimeoutError(responseTimeoutMs));
    }
  }
}

/** One of the links that a header `Link` lists (RFC 8288 section 3). */
const LINK = /<[^>]*>[^,"]*(?:"[^"]*"[^,"]*)*/g;

/**
 * Hands on what the monitor says before its answer (RFC 9110 section 15.2), as far as Node can say it: 102, and the links of
 * 103. Nothing of it is needed to understand the answer.
 */
function handInformation({ statusCode, rawHeaders }: InformationEvent, response: ServerResponse): void {
  // HTTP/1.0 has no such answers.
  if (response.req.httpVersion === "1.0") return;
  if (statusCode === 102) response.writeProcessing();
  else if (statusCode === 103) hint(rawHeaders, response);
}

function hint(rawHeaders: readonly string[], response: ServerResponse): void {
  const values = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === "link");
  const links = values.flatMap((value) => value.match(LINK) ?? []);
  try {
    response.writeEarlyHints({ link: links.map((link) => link.trim()) });
  } catch {
    // A hint that Node does not take as one; the answer itself says all.
  }
}
