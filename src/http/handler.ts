import type { Authenticator } from "../auth/authenticator.ts";
import type { AdminApi } from "../core/admin-api.ts";
import type { InputSource } from "../core/call.ts";
import { AdminError } from "../core/errors.ts";
import { andThen, type MaybePromise } from "../core/maybe-promise.ts";
import type { OperationName } from "../core/operations.ts";
import type { Principal } from "../core/principal.ts";
import { requestIds } from "../core/request-id.ts";
import type { ValidInput } from "../core/valid-input.ts";
import { readJsonBody } from "./json-body.ts";
import type { HttpHandler, HttpRequest, HttpResponse } from "./message.ts";
import { decodeQuery } from "./query.ts";
import { answer, errorAnswer, optionsAnswer, unauthenticated } from "./responses.ts";
import { compileRoutes, type Endpoint, type Route, type Router } from "./routes.ts";

/** How the API is served over HTTP. */
export interface AdminHttpOptions {
  readonly authenticator: Authenticator;
  /** Path of the API below the mount point; `/api/admin/v1` unless a host mounts it elsewhere. */
  readonly basePath?: string;
  /** Bytes of the largest request body; 1 MiB by default (decision D-HTTP 5). */
  readonly maxBodyBytes?: number;
}

interface Service {
  readonly api: AdminApi;
  readonly authenticator: Authenticator;
  readonly router: Router;
  readonly maxBodyBytes: number;
  readonly nextRequestId: () => string;
  /** Reads that were asked for before, by path and query: dashboards ask the same again and again. */
  readonly reads: Map<string, Target>;
}

/** An operation, and where its input comes from. */
interface Target {
  readonly name: OperationName;
  readonly source: InputSource;
}

const REMEMBERED_READS = 1_000;

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * Makes the handler that all adapters share. It checks credentials, path, method, permission, body and input in this
 * order (decision D-HTTP 1) and never rejects.
 */
export function httpHandler(api: AdminApi, options: AdminHttpOptions): HttpHandler {
  const basePath = options.basePath ?? "/api/admin/v1";
  const service: Service = {
    api,
    authenticator: options.authenticator,
    router: compileRoutes(api.operations),
    maxBodyBytes: options.maxBodyBytes ?? 1024 * 1024,
    nextRequestId: requestIds(),
    reads: new Map(),
  };
  return (request) => {
    const path = pathBelow(basePath, request.target);
    return path === undefined ? undefined : serve(service, request, path);
  };
}

/** Path and query below the base path, or undefined for a target that is not below it. */
function pathBelow(basePath: string, target: string): string | undefined {
  const path = target.startsWith("/") ? target : target.replace(/^https?:\/\/[^/?#]*/i, "");
  if (!path.startsWith(basePath)) return undefined;
  const rest = path.slice(basePath.length);
  return rest === "" || rest.startsWith("/") || rest.startsWith("?") ? rest : undefined;
}

function serve(service: Service, request: HttpRequest, path: string): MaybePromise<HttpResponse> {
  const given = request.header("x-request-id");
  const requestId = given !== undefined && REQUEST_ID.test(given) ? given : service.nextRequestId();
  const failed = (thrown: unknown): HttpResponse => errorAnswer(requestId, reported(service.api, requestId, thrown));
  try {
    const checked = service.authenticator.authenticate(request.header("authorization"));
    const response = andThen(checked, (authentication) => {
      if (authentication.kind === "challenge") return unauthenticated(requestId, authentication.challenge);
      if (authentication.kind === "closed") throw new AdminError("API_CLOSED", authentication.reason);
      return serveCaller(service, request, path, authentication.principal, requestId);
    });
    return response instanceof Promise ? response.catch(failed) : response;
  } catch (thrown) {
    return failed(thrown);
  }
}

function serveCaller(
  service: Service,
  request: HttpRequest,
  path: string,
  principal: Principal,
  requestId: string,
): MaybePromise<HttpResponse> {
  const target = findTarget(service, request, path);
  if (!("source" in target)) return withoutEndpoint(target, request.method, requestId);
  let warning: string | undefined;
  const output = service.api.invoke(target.name, target.source, principal, {
    requestId,
    address: request.address,
    traceparent: traceparent(request),
    onWarning: (message) => {
      warning = message;
    },
  });
  return andThen(output, (value) => answer(requestId, value, warning));
}

/** What an operation throws has been reported by the API; anything else is ours to report. */
function reported(api: AdminApi, requestId: string, thrown: unknown): AdminError {
  if (thrown instanceof AdminError) return thrown;
  const error = AdminError.from(thrown);
  api.reportFailure(requestId, error);
  return error;
}

/** The operation a request asks for, or the route when it has no such method. Throws for an unknown path. */
function findTarget(service: Service, request: HttpRequest, path: string): Target | Route {
  const isRead = request.method === "GET" || request.method === "HEAD";
  const remembered = isRead ? service.reads.get(path) : undefined;
  if (remembered) return remembered;
  const mark = path.indexOf("?");
  const match = service.router(mark < 0 ? path : path.slice(0, mark));
  if (!match) throw new AdminError("UNKNOWN_PATH", "No operation has this path");
  const endpoint = match.route.endpoints.get(request.method);
  if (!endpoint) return match.route;
  const asked = { endpoint, pathInput: match.pathInput, query: mark < 0 ? "" : path.slice(mark + 1) };
  const read = isRead ? () => readQuery(service, asked, path) : () => readBody(service, asked, request);
  return { name: endpoint.name, source: { known: match.pathInput, read } };
}

function withoutEndpoint({ allow }: Route, method: string, requestId: string): HttpResponse {
  if (method === "OPTIONS") return optionsAnswer(requestId, allow);
  return errorAnswer(requestId, new AdminError("METHOD_NOT_ALLOWED", `This path allows ${allow}`), { Allow: allow });
}

function traceparent(request: HttpRequest): string | undefined {
  const given = request.header("traceparent");
  return given !== undefined && TRACEPARENT.test(given) ? given : undefined;
}

/** A request for an endpoint, its body aside. */
interface Asked {
  readonly endpoint: Endpoint;
  readonly pathInput: Readonly<Record<string, string>>;
  readonly query: string;
}

/** The input of a read from path and query, remembered for the next equal request. */
function readQuery({ api, reads }: Service, { endpoint, pathInput, query }: Asked, path: string): ValidInput {
  const fromQuery = decodeQuery(query, endpoint.queryFields, api.unknownFields);
  const input = api.validate(endpoint.name, { ...fromQuery, ...pathInput });
  if (reads.size >= REMEMBERED_READS) reads.clear();
  reads.set(path, { name: endpoint.name, source: { known: pathInput, read: () => input } });
  return input;
}

/** The flat input of an operation with a body. */
async function readBody(
  { api, maxBodyBytes }: Service,
  { endpoint: { queryFields, pathFields }, pathInput, query }: Asked,
  request: HttpRequest,
): Promise<unknown> {
  decodeQuery(query, queryFields, api.unknownFields);
  const body = await readJsonBody(request, maxBodyBytes);
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  const clashes = Object.keys(body).filter((field) => pathFields.has(field));
  if (clashes.length > 0 && api.unknownFields === "reject") {
    throw new AdminError("BAD_REQUEST", clashes.map((field) => `${field}: unknown field`).join("; "));
  }
  return { ...body, ...pathInput };
}
