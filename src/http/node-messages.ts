import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestArrival } from "../core/calls/call.ts";
import { BASE_PATH } from "../core/conventions.ts";
import type { AdminError } from "../core/errors.ts";
import { networkOrigin } from "../core/network.ts";
import { CallerAddresses, peerAddress } from "./client-address.ts";
import { callerIsUser } from "./guard/guard-server.ts";
import { isReset } from "./guard/node-internals.ts";
import { arrivalOf, stopEnded } from "./guard/request.ts";
import { fieldsFault, headerValue } from "./headers.ts";
import { keepNextRequest } from "./ignored-upgrade.ts";
import type { BodyQuota, HttpHandler, HttpRequest, HttpResponse, RequestBody } from "./message.ts";
import { discardRest, readBytes } from "./node-body.ts";
import { nothingServed } from "./responses.ts";
import { whenClosed } from "./when-closed.ts";

/** Fields that say whether there is a body: whatever a host does to them, one that is there is not taken for none. */
const FRAMING: ReadonlySet<string> = new Set(["content-length", "transfer-encoding"]);

/** Fields of which Node leaves the first value alone, which may be empty, where others are joined: what arrived counts. */
const KEPT_FIRST: ReadonlySet<string> = new Set(["authorization", "content-type", "host"]);

/** A request of `node:http` for the handler. Reads each property once: on a request of Express, property access is slow (Node 20). */
export class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly target: string;
  readonly #rawHeaders: readonly string[];
  /** As the host left them. */
  readonly #headers: IncomingMessage["headers"];
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #callers: CallerAddresses;
  /** Null when it is not known. */
  #address: string | null | undefined;

  /** `target` is the path and query relative to the mount point; `callers` finds the caller behind a proxy. */
  constructor(request: IncomingMessage, response: ServerResponse, target: string, callers: CallerAddresses) {
    this.method = request.method ?? "GET";
    this.target = target;
    this.#rawHeaders = request.rawHeaders;
    this.#headers = request.headers;
    this.#request = request;
    this.#response = response;
    this.#callers = callers;
  }

  get fault(): AdminError | undefined {
    return fieldsFault(this.#request);
  }

  /** A host may serve HTTP/2, where a body needs no header. */
  get isBodyDeclared(): boolean {
    return this.#request.httpVersionMajor === 1;
  }

  get arrival(): RequestArrival | undefined {
    return arrivalOf(this.#request);
  }

  get address(): string | undefined {
    if (this.#address === undefined) this.#address = this.#callerAddress();
    return this.#address ?? undefined;
  }

  get origin(): string {
    return networkOrigin(this.address);
  }

  get isDisconnected(): boolean {
    const { socket } = this.#request;
    return socket.destroyed || isReset(socket);
  }

  /** What the host has deleted or emptied, such as credentials that it does not admit, did not come (decision D-HTTP 43). */
  header(name: string): string | undefined {
    const arrived = headerValue(this.#rawHeaders, name);
    if (arrived === undefined || FRAMING.has(name)) return arrived;
    const left = this.#headers[name] ?? undefined;
    const isTaken = left === undefined || (left === "" && !(KEPT_FIRST.has(name) && arrived.startsWith(", ")));
    return isTaken ? left : arrived;
  }

  stopEnded(isUnknown: boolean): void {
    stopEnded(this.#request, isUnknown);
  }

  authenticated(user: string | undefined, isCommand: boolean): void {
    callerIsUser(this.#request, user, isCommand);
  }

  onClose(listener: () => void): void {
    whenClosed(this.#request, this.#response, listener);
  }

  readBody(limit: number, room?: BodyQuota): Promise<RequestBody> {
    return readBytes(this.#request, this.#response, limit, room);
  }

  #callerAddress(): string | null {
    return this.#callers.callerOf(peerAddress(this.#request.socket), (name) => this.header(name)) ?? null;
  }
}

/** Marks a request that an API has taken. */
const TAKEN = Symbol("taken by an API");

interface TakenRequest extends IncomingMessage {
  [TAKEN]?: true;
}

/**
 * Handles a request, and writes the response once it is ready; calls `next` for a path outside the API. A host that hands over a request again
 * gets nothing for it: a command is carried out once (decision D-HTTP 44).
 */
export function respondWith(
  handle: () => ReturnType<HttpHandler>,
  request: TakenRequest,
  response: ServerResponse,
  next: () => void,
): void {
  if (request[TAKEN]) return;
  const responding = handle();
  if (responding === undefined) {
    next();
    return;
  }
  request[TAKEN] = true;
  keepNextRequest(request, response);
  void responding.then((ours) => writeResponse(request, response, ours));
}

/**
 * Writes a response, unless the caller has disconnected (decision D-ENG 4). An early response, to a request that is still arriving, is
 * written immediately, but ended only when the rest of the request has been discarded: the connection stays open until then.
 */
export function writeResponse(request: IncomingMessage, response: ServerResponse, ours: HttpResponse): void {
  const { status, headers, body } = ours;
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, headers);
  if (hasUnreadBody(request)) writeEarly(request, response, body);
  else if (request.method === "HEAD") response.end();
  else if (typeof body !== "string") writeParts(response, body);
  // ASCII has the same bytes in both encodings, and Latin-1 is written faster.
  else response.end(body, headers["Content-Length"] === body.length ? "latin1" : "utf8");
}

function writeParts(response: ServerResponse, parts: readonly Uint8Array[]): void {
  for (const part of parts) response.write(part);
  response.end();
}

function writeEarly(request: IncomingMessage, response: ServerResponse, body: HttpResponse["body"]): void {
  // Corked, so that all of it is sent now: the rest of the request may turn out to be malformed in this turn.
  response.cork();
  response.flushHeaders();
  for (const part of typeof body === "string" ? [body] : body) response.write(part);
  response.uncork();
  discardRest(request, (complete) => {
    response.end();
    if (!complete) request.socket.destroySoon();
  });
}

/** Whether a request has a body that has not been read completely. */
function hasUnreadBody({ complete, rawHeaders }: IncomingMessage): boolean {
  if (complete) return false;
  const length = headerValue(rawHeaders, "content-length");
  return length === undefined ? headerValue(rawHeaders, "transfer-encoding") !== undefined : length !== "0";
}

/** Responds 404 to everything, where there is no API. */
export function notFound(request: IncomingMessage, response: ServerResponse): void {
  keepNextRequest(request, response);
  writeResponse(request, response, nothingServed());
}

/** Makes a listener that responds 404 to everything and says where the API is. */
export function notFoundBeside(
  basePath: string = BASE_PATH,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    keepNextRequest(request, response);
    writeResponse(request, response, nothingServed(basePath));
  };
}

/** A listener of `node:http` that responds with a handler; requests outside the API go to `next`. */
export function listenerOf(
  handle: HttpHandler,
  next: (request: IncomingMessage, response: ServerResponse) => void,
  callers = new CallerAddresses(),
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const handling = () => handle(new NodeRequest(request, response, request.url ?? "/", callers));
    respondWith(handling, request, response, () => next(request, response));
  };
}
