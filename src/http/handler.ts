import type { Authenticator } from "../auth/authenticator.ts";
import type { AdminApi } from "../core/admin-api.ts";
import { BASE_PATH } from "../core/base-path.ts";
import type { InputSource } from "../core/call.ts";
import { AdminError } from "../core/errors.ts";
import { longList } from "../core/long-list.ts";
import { andThen, type MaybePromise } from "../core/maybe-promise.ts";
import type { OperationName } from "../core/operations.ts";
import type { Principal } from "../core/principal.ts";
import { REQUEST_ID, requestIds } from "../core/request-id.ts";
import type { ValidInput } from "../core/valid-input.ts";
import { type AnswerListener, Observation } from "./answer-report.ts";
import type { TrustedProxies } from "./client-address.ts";
import { refuseCrossSite } from "./cross-site.ts";
import {
  compileDocuments,
  type DocumentTable,
  documentAnswer,
  type HttpDocument,
  type ServedDocument,
} from "./documents.ts";
import { readJsonBody } from "./json-body.ts";
import { LargeAnswers } from "./large-answers.ts";
import type { HttpHandler, HttpRequest, HttpResponse } from "./message.ts";
import { decodeQuery } from "./query.ts";
import { answer, errorAnswer, optionsAnswer } from "./responses.ts";
import { compileRoutes, type Endpoint, type Route, type Router } from "./routes.ts";
import { ShedPace } from "./shed-pace.ts";
import { turnedAway } from "./turned-away.ts";

/** How the API is served over HTTP. */
export interface AdminHttpOptions {
  readonly authenticator: Authenticator;
  /** Path of the API below the mount point; `/api/admin/v1` unless a host mounts it elsewhere. */
  readonly basePath?: string;
  /** Bytes of the largest request body; 1 MiB by default (decision D-HTTP 5). */
  readonly maxBodyBytes?: number;
  /** Proxies in front of the server that are believed about the caller's address; none by default. */
  readonly trustedProxies?: TrustedProxies;
  /** What is served beside the API, with the same credentials. */
  readonly documents?: readonly HttpDocument[];
  /** Told of every answer of ours. */
  readonly onAnswer?: AnswerListener;
}

interface Service {
  readonly api: AdminApi;
  readonly authenticator: Authenticator;
  readonly router: Router;
  readonly maxBodyBytes: number;
  readonly nextRequestId: () => string;
  readonly onAnswer: AnswerListener | undefined;
  /** Reads that were asked for before, by path and query: dashboards ask the same again and again. */
  readonly reads: Map<string, Target>;
  readonly documents: DocumentTable;
  readonly pace: ShedPace;
  readonly unwritten: LargeAnswers;
}

/** A request on its way to its answer. */
interface Arrival {
  readonly request: HttpRequest;
  /** Path and query below the base path, or the document that is asked for. */
  readonly asked: string | ServedDocument;
  readonly requestId: string;
  readonly observation: Observation | undefined;
}

/** An operation, and where its input comes from. */
interface Target {
  readonly name: OperationName;
  readonly source: InputSource;
}

const REMEMBERED_READS = 1_000;

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * Makes the handler that all adapters share. It checks credentials, path, method, permission, body and input in this
 * order (decision D-HTTP 1) and never rejects.
 */
export function httpHandler(api: AdminApi, options: AdminHttpOptions): HttpHandler {
  const basePath = options.basePath ?? BASE_PATH;
  const service: Service = {
    api,
    authenticator: options.authenticator,
    router: compileRoutes(api.operations),
    maxBodyBytes: options.maxBodyBytes ?? 1024 * 1024,
    nextRequestId: requestIds(),
    onAnswer: options.onAnswer,
    reads: new Map(),
    documents: compileDocuments(options.documents ?? []),
    pace: new ShedPace(),
    unwritten: new LargeAnswers(),
  };
  return (request) => {
    const path = withoutAuthority(request.target);
    const asked = pathBelow(basePath, path) ?? service.documents(path);
    return asked === undefined ? undefined : serve(service, request, asked);
  };
}

/** Path and query of a target, which may be a whole URL (RFC 9112 section 3.2.2). */
function withoutAuthority(target: string): string {
  return target.startsWith("/") ? target : target.replace(/^https?:\/\/[^/?#]*/i, "");
}

/** Path and query below the base path, or undefined for a path that is not below it. */
function pathBelow(basePath: string, path: string): string | undefined {
  if (!path.startsWith(basePath)) return undefined;
  const rest = path.slice(basePath.length);
  return rest === "" || rest.startsWith("/") || rest.startsWith("?") ? rest : undefined;
}

function serve(service: Service, request: HttpRequest, asked: Arrival["asked"]): MaybePromise<HttpResponse> {
  const given = request.header("x-request-id");
  const requestId = given !== undefined && REQUEST_ID.test(given) ? given : service.nextRequestId();
  const observation = service.onAnswer && new Observation(request, requestId, service.onAnswer);
  const response = respond(service, { request, asked, requestId, observation });
  return observation ? andThen(response, (made) => observation.finish(made)) : response;
}

function respond(service: Service, arrival: Arrival): MaybePromise<HttpResponse> {
  const { request, requestId, observation } = arrival;
  const failed = (thrown: unknown): HttpResponse => errorAnswer(requestId, reported(service.api, requestId, thrown));
  try {
    const checked = service.authenticator.authenticate(request.header("authorization"), request);
    const response = andThen(checked, (authentication) => {
      if (authentication.kind !== "principal") return turnedAway(service.api, arrival, authentication);
      if (observation) observation.user = authentication.principal.name;
      return serveCaller(service, arrival, authentication.principal);
    });
    return response instanceof Promise ? response.catch(failed) : response;
  } catch (thrown) {
    return failed(thrown);
  }
}

function serveCaller(
  service: Service,
  { request, asked, requestId, observation }: Arrival,
  principal: Principal,
): MaybePromise<HttpResponse> {
  if (typeof asked !== "string") return documentAnswer(asked, request, requestId);
  const target = findTarget(service, request, asked);
  if (!("source" in target)) return withoutEndpoint(target, request.method, requestId);
  if (observation) observation.operation = target.name;
  const perform = (): MaybePromise<HttpResponse> => performOperation(service, request, requestId, principal, target);
  return service.api.operations[target.name].lane === "read" ? service.pace.apply(perform) : perform();
}

function performOperation(
  { api, unwritten }: Service,
  request: HttpRequest,
  requestId: string,
  principal: Principal,
  { name, source }: Target,
): MaybePromise<HttpResponse> {
  let warning: string | undefined;
  const output = api.invoke(name, source, principal, {
    requestId,
    address: request.address,
    traceparent: traceparent(request),
    onWarning: (message) => {
      warning = message;
    },
  });
  return andThen(output, (value) => {
    const list = longList(value);
    return list ? unwritten.answer(requestId, api.reads, principal.name, list) : answer(requestId, value, warning);
  });
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
  { endpoint: { operation, queryFields, pathFields }, pathInput, query }: Asked,
  request: HttpRequest,
): Promise<unknown> {
  if (operation.lane !== "read") refuseCrossSite(request);
  decodeQuery(query, queryFields, api.unknownFields);
  const body = await readJsonBody(request, maxBodyBytes);
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  const clashes = Object.keys(body).filter((field) => pathFields.has(field));
  if (clashes.length > 0 && api.unknownFields === "reject") {
    throw new AdminError("BAD_REQUEST", clashes.map((field) => `${field}: unknown field`).join("; "));
  }
  return { ...body, ...pathInput };
}
