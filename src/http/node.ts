import type { IncomingMessage, ServerResponse } from "node:http";
import type { AdminApi } from "../core/admin-api.ts";
import { AdminError } from "../core/errors.ts";
import { andThen } from "../core/maybe-promise.ts";
import { type AdminHttpOptions, httpHandler } from "./handler.ts";
import { tooLarge } from "./json-body.ts";
import type { HttpRequest, HttpResponse, RequestBody } from "./message.ts";

/** A listener of `node:http`, or anything that is called like one, such as an Express app. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => void;

/** Options of {@link adminHandler}. */
export interface AdminHandlerOptions extends AdminHttpOptions {
  /** Takes requests for paths that are not ours; without it they get 404. */
  readonly next?: NodeListener;
}

/**
 * Makes a `node:http` listener that serves the API and hands everything else on. Standing in front of an Express app in
 * this way is much faster than being mounted in it.
 *
 * @example
 * createServer(adminHandler(api, { authenticator, next: app })).listen(8988);
 */
export function adminHandler(api: AdminApi, options: AdminHandlerOptions): NodeListener {
  const handle = httpHandler(api, options);
  const next = options.next ?? notFound;
  return (request, response) => {
    const answering = handle(new NodeRequest(request, response, request.url ?? "/"));
    if (answering) void andThen(answering, (answer) => writeAnswer(request, response, answer));
    else next(request, response);
  };
}

/** A request of `node:http` for the handler. */
export class NodeRequest implements HttpRequest {
  readonly target: string;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;

  /** `target` is the path and query relative to the mount point. */
  constructor(request: IncomingMessage, response: ServerResponse, target: string) {
    this.target = target;
    this.#request = request;
    this.#response = response;
  }

  get method(): string {
    return this.#request.method ?? "GET";
  }

  get address(): string | undefined {
    return this.#request.socket.remoteAddress;
  }

  header(name: string): string | undefined {
    return headerValue(this.#request.rawHeaders, name);
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
  if (/^100-continue$/i.test(request.headers.expect ?? "")) response.writeContinue();
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
export function writeAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: HttpResponse,
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, headers);
  response.end(request.method === "HEAD" ? undefined : body);
}

/** Answers 404 to everything. */
export function notFound(request: IncomingMessage, response: ServerResponse): void {
  const body = JSON.stringify(new AdminError("UNKNOWN_PATH", "Nothing is served at this path"));
  writeAnswer(request, response, {
    status: 404,
    headers: {
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(body),
    },
    body,
  });
}
