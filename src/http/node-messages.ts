import type { IncomingMessage, ServerResponse } from "node:http";
import { AdminError } from "../core/errors.ts";
import { CallerAddresses, peerAddress } from "./client-address.ts";
import { keepNextRequest } from "./ignored-upgrade.ts";
import { callerIsUser } from "./inflow.ts";
import { tooLarge } from "./json-body.ts";
import type { BodyRoom, HttpHandler, HttpRequest, HttpResponse, RequestBody } from "./message.ts";
import { refusal } from "./responses.ts";
import { discardRest, hasUnreadBody } from "./unread-body.ts";

/** Marks a request whose `100 Continue` is sent only when its body is wanted. */
const CONTINUE_DEFERRED = Symbol("100 Continue deferred");

interface DeferredRequest extends IncomingMessage {
  [CONTINUE_DEFERRED]?: true;
}

/** Lets a client wait for `100 Continue` until the body is needed. */
export function deferContinueOf(request: DeferredRequest): void {
  request[CONTINUE_DEFERRED] = true;
}

/** Sends the `100 Continue` that a client still waits for. */
export function continueDeferred(request: DeferredRequest, response: ServerResponse): void {
  if (request[CONTINUE_DEFERRED]) response.writeContinue();
}

/** A request of `node:http` for the handler. Reads each property once: on a request of Express a look is slow (Node 20). */
export class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly target: string;
  readonly #rawHeaders: readonly string[];
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #callers: CallerAddresses;
  /** Null when it is not known. */
  #address: string | null | undefined;

  /** `target` is the path and query relative to the mount point; `callers` says who is behind a proxy. */
  constructor(request: IncomingMessage, response: ServerResponse, target: string, callers: CallerAddresses) {
    this.method = request.method ?? "GET";
    this.target = target;
    this.#rawHeaders = request.rawHeaders;
    this.#request = request;
    this.#response = response;
    this.#callers = callers;
  }

  get address(): string | undefined {
    if (this.#address === undefined) this.#address = this.#callerAddress();
    return this.#address ?? undefined;
  }

  get hasLeft(): boolean {
    return this.#request.socket.destroyed;
  }

  header(name: string): string | undefined {
    return headerValue(this.#rawHeaders, name);
  }

  authenticated(user: string): void {
    callerIsUser(this.#request.socket, user);
  }

  readBody(limit: number, room?: BodyRoom): Promise<RequestBody> {
    return readBytes(this.#request, this.#response, limit, room);
  }

  #callerAddress(): string | null {
    return this.#callers.callerOf(peerAddress(this.#request.socket), (name) => this.header(name)) ?? null;
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

/** Of a request that is not counted with others. */
const NO_BOUND: BodyRoom = { take: () => {}, release: () => {} };

/** Reads a body of at most `limit` bytes; what is beyond is left to be discarded. */
async function readBytes(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
  room: BodyRoom = NO_BOUND,
): Promise<RequestBody> {
  if (request.readableEnded) throw new Error("The request body was read before it reached the API");
  continueDeferred(request, response);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const fail = (error: unknown): void => {
      request.off("data", take);
      request.resume();
      reject(error);
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      try {
        if (size > limit) throw tooLarge(limit);
        room.take(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        chunks.length = 0;
        fail(error);
      }
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

/** Writes a response when it is there; calls `next` when there is to be none. */
export function respondWith(
  responding: ReturnType<HttpHandler>,
  request: IncomingMessage,
  response: ServerResponse,
  next: () => void,
): void {
  if (responding === undefined) {
    next();
    return;
  }
  if (headerValue(request.rawHeaders, "upgrade") !== undefined) keepNextRequest(request, response);
  void responding.then((ours) => writeResponse(request, response, ours));
}

/**
 * Writes a response; a caller that has hung up changes nothing (decision D-ENG 4). One that does not wait for the whole
 * request is written at once, but ends only when the rest has been discarded: the connection is not closed meanwhile.
 */
export function writeResponse(request: IncomingMessage, response: ServerResponse, ours: HttpResponse): void {
  const { status, headers, body, written } = ours;
  if (written) whenGone(response, written);
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, headers);
  if (hasUnreadBody(request)) writeEarly(request, response, body);
  else if (request.method === "HEAD") response.end();
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

function writeEarly(request: IncomingMessage, response: ServerResponse, body: HttpResponse["body"]): void {
  // Corked, so that all of it goes out now: the rest of the request may turn out to be broken in this very turn.
  response.cork();
  response.flushHeaders();
  for (const part of typeof body === "string" ? [body] : body) response.write(part);
  response.uncork();
  discardRest(request, (complete) => {
    response.end();
    if (!complete) request.socket.destroySoon();
  });
}

/** Responds 404 to everything. */
export function notFound(request: IncomingMessage, response: ServerResponse): void {
  writeResponse(request, response, refusal(new AdminError("UNKNOWN_PATH", "Nothing is served at this path")));
}

/** A listener of `node:http` that responds with a handler and hands on what is not the handler's. */
export function listenerOf(
  handle: HttpHandler,
  next: (request: IncomingMessage, response: ServerResponse) => void,
  callers = new CallerAddresses(),
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const responding = handle(new NodeRequest(request, response, request.url ?? "/", callers));
    respondWith(responding, request, response, () => next(request, response));
  };
}
