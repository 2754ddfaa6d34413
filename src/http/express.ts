/**
 * The API as Express middleware, for hosts.
 *
 * "Specification" is `docs/specification.md` of this package.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AdminApi } from "../core/admin-api.ts";
import { BASE_PATH } from "../core/conventions.ts";
import { AdminError } from "../core/errors.ts";
import { processWarnings } from "../core/logger.ts";
import { isObject } from "../core/values/basics.ts";
import type { AdminHttpOptions } from "./admin-http-options.ts";
import { CallerAddresses } from "./client-address.ts";
import { httpHandler } from "./handler.ts";
import { tooLarge } from "./json-body.ts";
import type { BodyQuota, RequestBody } from "./message.ts";
import { NodeRequest, respondWith } from "./node-messages.ts";

/** Raw bytes of a body that the host's parser has read, kept by {@link keepRawBody}. */
const RAW_BODY = Symbol("raw request body");

/** The parts of an Express request in use; `url` is relative to the mount point, which is `baseUrl`. */
interface ExpressRequest extends IncomingMessage {
  readonly baseUrl?: string;
  readonly originalUrl?: string;
  body?: unknown;
  /** Set by the parsers of Express 4 that have read the body. */
  _body?: boolean;
  [RAW_BODY]?: Uint8Array;
}

/** Passes a request to the next middleware, or an error to the error middleware. */
export type Next = (error?: unknown) => void;

/** Express middleware (4.18 or 5). */
export type AdminMiddleware = (request: IncomingMessage, response: ServerResponse, next: Next) => void;

/** Express error middleware (4.18 or 5). */
export type AdminErrorMiddleware = (
  error: unknown,
  request: IncomingMessage,
  response: ServerResponse,
  next: Next,
) => void;

/**
 * Makes Express middleware that serves the API below its mount path and passes other requests on:
 * `app.use(...adminMiddleware(api, { authenticator }))`. The second element responds when a body parser of the host
 * refuses a request to the API, so that the caller gets the API's own error instead of the host's page.
 *
 * @example
 * app.use(...adminMiddleware(api, { authenticator }));
 */
export function adminMiddleware(api: AdminApi, options: AdminHttpOptions): [AdminMiddleware, AdminErrorMiddleware] {
  const handle = httpHandler(api, options);
  const callers = new CallerAddresses(options.trustedProxies);
  const checkMount = mountCheck(options.basePath);
  return [
    (request, response, next) => {
      const handling = () => handle(new ExpressHttpRequest(request, response, callers));
      respondWith(handling, request, response, () => {
        checkMount(request);
        next();
      });
    },
    (error, request, response, next) => {
      const refusal = bodyParserRefusal(error, request.method);
      if (!refusal) return next(error);
      const handling = () => handle(new ExpressHttpRequest(request, response, callers, refusal));
      respondWith(handling, request, response, () => next(error));
    },
  ];
}

/**
 * Keeps the raw bytes of a body that the host's parser reads, so that the API can check them as strictly as without a parser:
 * `express.json({ verify: keepRawBody })`. Without it, duplicate keys in a body go unnoticed.
 *
 * @example
 * app.use(express.json({ verify: keepRawBody }));
 */
export function keepRawBody(request: IncomingMessage, _response: ServerResponse, bytes: Uint8Array): void {
  (request as ExpressRequest)[RAW_BODY] = bytes;
}

/** Warns of a mount path that repeats the path of the API: then the host would answer 404, and nothing would say why. */
function mountCheck(basePath: string = BASE_PATH): (request: ExpressRequest) => void {
  const remedy = 'mount it with app.use(...adminMiddleware(api, options)), or give it basePath: ""';
  const warnings = processWarnings(remedy);
  return ({ baseUrl = "", originalUrl = "" }) => {
    if (baseUrl === "" || basePath === "" || !originalUrl.startsWith(basePath)) return;
    warnings.warn(
      `adminMiddleware is mounted at ${baseUrl}, so the API is below ${baseUrl}${basePath}, not ${basePath}`,
    );
  };
}

/** An Express request, whose body a parser of the host may have read. */
class ExpressHttpRequest extends NodeRequest {
  readonly #request: ExpressRequest;
  readonly refusal: AdminError | undefined;

  constructor(request: ExpressRequest, response: ServerResponse, callers: CallerAddresses, refusal?: AdminError) {
    super(request, response, request.url ?? "/", callers);
    this.#request = request;
    this.refusal = refusal;
  }

  override async readBody(limit: number, room?: BodyQuota): Promise<RequestBody> {
    const { [RAW_BODY]: kept, body: value } = this.#request;
    const bytes = kept ?? (value instanceof Uint8Array ? value : undefined);
    if (bytes && bytes.byteLength > limit) throw tooLarge(limit);
    if (bytes) return { kind: "bytes", bytes };
    if (this.refusal) throw this.refusal;
    return hasParsedBody(this.#request) ? { kind: "parsed", value } : super.readBody(limit, room);
  }
}

/** Whether a parser of the host has already read the body as JSON. */
function hasParsedBody(request: ExpressRequest): boolean {
  const { body } = request;
  if (!request.readableEnded || body === undefined) return false;
  const names = isObject(body) ? Object.keys(body) : [];
  // A parser of texts has left it as it is, one of forms has taken it for the name of a field.
  const texts = typeof body === "string" ? [body] : names;
  if (texts.some((text) => text.trimStart().startsWith("{")))
    throw new Error("The request body was parsed as something other than JSON before it reached the API");
  return !isObject(body) || names.length > 0 || wasEmptyObject(request);
}

/** Whether a body was an empty object: parsers of Express 4 make one of a body that they leave unread. */
function wasEmptyObject({ _body: isParsed, headers }: ExpressRequest): boolean {
  return isParsed === true || headers["content-length"] === "2";
}

/** Translates an error of Express' body parsers; undefined for any other error. A read takes no body: any is a bad request. */
function bodyParserRefusal(error: unknown, method: string | undefined): AdminError | undefined {
  if (!(error instanceof Error)) return undefined;
  const refusal = parserRefusal(error);
  return refusal && method !== "POST" ? new AdminError("BAD_REQUEST", refusal.message, { cause: error }) : refusal;
}

function parserRefusal(error: Error): AdminError | undefined {
  const options = { cause: error };
  if ("code" in error && String(error.code).startsWith("Z_")) {
    return new AdminError("UNSUPPORTED_MEDIA_TYPE", "The request body cannot be decompressed", options);
  }
  if (!("type" in error)) return undefined;
  switch (error.type) {
    case "entity.parse.failed":
      return new AdminError("BAD_REQUEST", "The request body is not valid JSON", options);
    case "entity.too.large":
      return new AdminError("BODY_TOO_LARGE", "The request body is larger than the server accepts", options);
    case "charset.unsupported":
    case "encoding.unsupported":
      return new AdminError("UNSUPPORTED_MEDIA_TYPE", error.message, options);
    case "request.aborted":
    case "request.size.invalid":
      return new AdminError("BAD_REQUEST", "The request body could not be read", options);
    default:
      return undefined;
  }
}

export type { AdminHttpOptions, TrustedProxies } from "./admin-http-options.ts";
