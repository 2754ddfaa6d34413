import type { IncomingMessage, ServerResponse } from "node:http";
import { AdminError } from "../core/errors.ts";
import { andThen } from "../core/maybe-promise.ts";
import { CallerAddresses } from "./client-address.ts";
import { tooLarge } from "./json-body.ts";
import type { HttpHandler, HttpRequest, HttpResponse, RequestBody } from "./message.ts";
import { refusal } from "./responses.ts";

/** Marks a request whose `100 Continue` is sent only when its body is wanted. */
const CONTINUE_DEFERRED = Symbol("100 Continue deferred");

interface DeferredRequest extends IncomingMessage {
  [CONTINUE_DEFERRED]?: true;
}

/** Lets a client wait for `100 Continue` until somebody wants the body. */
export function deferContinueOf(request: DeferredRequest): void {
  request[CONTINUE_DEFERRED] = true;
}

/** Sends the `100 Continue` that a client still waits for. */
export function continueDeferred(request: DeferredRequest, response: ServerResponse): void {
  if (request[CONTINUE_DEFERRED]) response.writeContinue();
}

/** The peer is the caller, since no proxy is trusted. */
const PEERS = new CallerAddresses();

/** A request of `node:http` for the handler. Reads each property once: on a request of Express a look is slow (Node 20). */
export class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly target: string;
  readonly #rawHeaders: readonly string[];
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #callers: CallerAddresses;

  /** `target` is the path and query relative to the mount point; `callers` says who is behind a proxy. */
  constructor(request: IncomingMessage, response: ServerResponse, target: string, callers: CallerAddresses = PEERS) {
    this.method = request.method ?? "GET";
    this.target = target;
    this.#rawHeaders = request.rawHeaders;
    this.#request = request;
    this.#response = response;
    this.#callers = callers;
  }

  get address(): string | undefined {
    return this.#callers.callerOf(this.#request.socket.remoteAddress, (name) => this.header(name));
  }

  get hasLeft(): boolean {
    return this.#request.socket.destroyed;
  }

  header(name: string): string | undefined {
    return headerValue(this.#rawHeaders, name);
  }

  readBody(limit: number): Promise<RequestBody> {
    return readBytes(this.#request, this.#response, limit);
  }
}

/** Looks a header up in the raw list: repeats are seen, and no object of all headers is built for each request. */
function headerValue(rawHeaders: readonly string[], name: string): string | undefined {
  let value: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const candidate = rawHeaders[index] ?? "";
    if (candidate.length !== name.length || candidate.toLowerCase() !== name) continue;
    value = value === undefined ? rawHeaders[index + 1] : `${value}, ${rawHeaders[index + 1]}`;
  }
  return value;
}

/** Reads a body of at most `limit` bytes; what is beyond is left to be discarded. */
async function readBytes(request: IncomingMessage, response: ServerResponse, limit: number): Promise<RequestBody> {
  if (request.readableEnded) throw new Error("The request body was read before it reached the API");
  continueDeferred(request, response);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const fail = (error: AdminError): void => {
      request.off("data", take);
      request.resume();
      reject(error);
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limit) fail(tooLarge(limit));
      else chunks.push(chunk);
    };
    request.on("data", take);
    request.once("end", () => resolve({ kind: "bytes", bytes: Buffer.concat(chunks) }));
    request.once("close", () =>
      fail(new AdminError("BAD_REQUEST", "The connection was closed before the body was complete")),
    );
    request.once("error", (cause) =>
      fail(new AdminError("BAD_REQUEST", "The request body could not be read", { cause })),
    );
  });
}

/** Writes an answer; a caller that has hung up changes nothing (decision D-ENG 4). */
export function writeAnswer(request: IncomingMessage, response: ServerResponse, answer: HttpResponse): void {
  const { status, headers, body, written } = answer;
  if (written) whenGone(response, written);
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, headers);
  if (request.method === "HEAD") response.end();
  else if (typeof body !== "string") writeParts(response, body);
  // ASCII is the same bytes in both encodings, and Latin-1 is the quicker to write.
  else response.end(body, headers["Content-Length"] === body.length ? "latin1" : "utf8");
}

function whenGone(response: ServerResponse, then: () => void): void {
  if (response.destroyed) then();
  else response.once("close", then);
}

function writeParts(response: ServerResponse, parts: readonly Uint8Array[]): void {
  for (const part of parts) response.write(part);
  response.end();
}

/** Answers 404 to everything. */
export function notFound(request: IncomingMessage, response: ServerResponse): void {
  writeAnswer(request, response, refusal(new AdminError("UNKNOWN_PATH", "Nothing is served at this path")));
}

/** A listener of `node:http` that answers with a handler and hands on what is not the handler's. */
export function listenerOf(
  handle: HttpHandler,
  next: (request: IncomingMessage, response: ServerResponse) => void,
  callers?: CallerAddresses,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const answering = handle(new NodeRequest(request, response, request.url ?? "/", callers));
    if (answering) void andThen(answering, (answer) => writeAnswer(request, response, answer));
    else next(request, response);
  };
}
