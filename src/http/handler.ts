import type { Authenticator, Caller } from "../auth/authenticator.ts";
import type { AdminApi } from "../core/admin-api.ts";
import type { InputSource } from "../core/calls/call.ts";
import { BASE_PATH, REQUEST_ID, requestIds } from "../core/conventions.ts";
import { AdminError } from "../core/errors.ts";
import { stranger } from "../core/load/caller-queue.ts";
import { HeldBytes, heldTooMuch } from "../core/load/held-bytes.ts";
import { asJson, type JsonOutput } from "../core/load/output-form.ts";
import type { Lane } from "../core/operations/operation.ts";
import type { OperationName } from "../core/operations/table.ts";
import type { Principal } from "../core/principal.ts";
import { isThenable } from "../core/values/basics.ts";
import type { TrustedProxies } from "./client-address.ts";
import {
  compileDocuments,
  type DocumentTable,
  documentResponse,
  type HttpDocument,
  type ServedDocument,
} from "./documents.ts";
import type { HttpHandler, HttpRequest, HttpResponse } from "./message.ts";
import { type InputReader, inputReader, type RequestSource } from "./request-input.ts";
import { Observation, type ResponseListener } from "./response-report.ts";
import { errorResponse, optionsResponse, outputResponse, unauthenticatedResponse, withOutcome } from "./responses.ts";
import { compileRoutes, type PathEndpoints, type Router } from "./routes.ts";

/** How the API is served over HTTP. */
export interface AdminHttpOptions {
  readonly authenticator: Authenticator;
  /** Path of the API below the mount point; `/api/admin/v1` unless a host mounts it elsewhere. */
  readonly basePath?: string;
  /** Bytes of the largest request body; 1 MiB by default (decision D-HTTP 15). */
  readonly maxBodyBytes?: number;
  /** Proxies in front of the server that are trusted to name the caller's address; none by default. */
  readonly trustedProxies?: TrustedProxies;
  /** What is served beside the API, with the same credentials. */
  readonly documents?: readonly HttpDocument[];
  /** Called with every response of the API. */
  readonly onResponse?: ResponseListener;
}

interface Service {
  readonly api: AdminApi;
  readonly authenticator: Authenticator;
  readonly router: Router;
  readonly nextRequestId: () => string;
  readonly onResponse: ResponseListener | undefined;
  readonly input: InputReader;
  readonly documents: DocumentTable;
  readonly held: HeldBytes;
}

/** What a request asks for, as its method and path say. */
type Asked =
  | { readonly kind: "operation"; readonly name: OperationName; readonly source: RequestSource }
  /** A path of the API without this method. */
  | { readonly kind: "route"; readonly route: PathEndpoints }
  | { readonly kind: "document"; readonly document: ServedDocument }
  | { readonly kind: "fault"; readonly fault: unknown };

/** A request on its way to its response. */
interface PendingRequest {
  readonly request: HttpRequest;
  readonly asked: Asked;
  /** Undefined when no operation is asked for. */
  readonly lane: Lane | undefined;
  readonly isStop: boolean;
  readonly requestId: string;
  readonly observation: Observation | undefined;
  /** Whose turns count: those of the place that the request comes from, and of its user as soon as that is certain. */
  caller: string;
  isLetIn: boolean;
}

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Statuses that say of a stop that it was not carried out. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 429]);

/**
 * Makes the handler that all adapters share, for a framework that has none: make an {@link HttpRequest} of the framework's request
 * and the framework's response of the {@link HttpResponse}. The handler returns undefined for a path that is not the API's. It checks
 * credentials, path, method, permission, body and input in this order (decision D-HTTP 1) and never rejects. Call
 * `HttpResponse.written` when the response has been written or is no longer awaited.
 *
 * @example
 * const handle = httpHandler(api, { authenticator });
 * const responding = handle({ method, target, header: (name) => headers[name], address, readBody });
 */
export function httpHandler(api: AdminApi, options: AdminHttpOptions): HttpHandler {
  const basePath = options.basePath ?? BASE_PATH;
  const held = new HeldBytes();
  const service: Service = {
    api,
    authenticator: options.authenticator,
    router: compileRoutes(api.operations),
    nextRequestId: requestIds(),
    onResponse: options.onResponse,
    input: inputReader(api, options.maxBodyBytes ?? 1024 * 1024, held),
    documents: compileDocuments(options.documents ?? []),
    held,
  };
  return (request) => {
    const path = withoutAuthority(request.target);
    const below = pathBelow(basePath, path);
    if (below !== undefined) return serve(service, request, askedFor(service, request, below));
    const document = service.documents(path);
    return document && serve(service, request, { kind: "document", document });
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

/** What a path below the base path asks for; what is wrong with it is said only to those who are let in. */
function askedFor({ router, input }: Service, request: HttpRequest, path: string): Asked {
  const remembered = input.remembered(request, path);
  if (remembered) return { kind: "operation", ...remembered };
  const mark = path.indexOf("?");
  try {
    const match = router(mark < 0 ? path : path.slice(0, mark));
    if (!match) throw new AdminError("UNKNOWN_PATH", "No operation has this path");
    const endpoint = match.route.endpoints.get(request.method);
    if (!endpoint) return { kind: "route", route: match.route };
    const query = mark < 0 ? "" : path.slice(mark + 1);
    const source = input.sourceOf({ endpoint, pathInput: match.pathInput, query }, request, path);
    return { kind: "operation", name: endpoint.name, source };
  } catch (fault) {
    return { kind: "fault", fault };
  }
}

async function serve(service: Service, request: HttpRequest, asked: Asked): Promise<HttpResponse> {
  const given = request.header("x-request-id");
  const requestId = given !== undefined && REQUEST_ID.test(given) ? given : service.nextRequestId();
  const observation = service.onResponse && new Observation(request, requestId, service.onResponse);
  const lane = asked.kind === "operation" ? service.api.laneOf(asked.name) : undefined;
  const isStop = lane === "stop";
  const caller = originOf(request);
  const pending: PendingRequest = { request, asked, lane, isStop, requestId, observation, caller, isLetIn: false };
  let response: HttpResponse;
  let error: AdminError | undefined;
  try {
    response = await respond(service, pending);
  } catch (thrown) {
    error = reported(service.api, requestId, thrown);
    response = errorResponse(requestId, error);
  }
  // Written together with others, except for stops (decision D-LOAD 13).
  if (!isStop) await service.api.gate.endOfTurn();
  if (mayBeCommand(pending)) response = withOutcome(response, error);
  if (isStop && REFUSALS.has(response.status)) service.api.gate.stopRefused(pending.caller);
  return observation ? observation.finish(response) : response;
}

/**
 * Whether a response says what became of a command (decision D-ENG 16). Until its user is let in, each POST may be one: a response must
 * not tell which paths there are (decision D-HTTP 1).
 */
function mayBeCommand({ request, asked, lane, isLetIn }: PendingRequest): boolean {
  return request.method === "POST" && asked.kind !== "document" && !(isLetIn && lane === "read");
}

async function respond(service: Service, pending: PendingRequest): Promise<HttpResponse> {
  const { request, observation } = pending;
  const turn = turnOf(service, pending);
  if (turn) await turn;
  const found = service.authenticator.authenticate(request.header("authorization"), callerOf(pending));
  const authentication = isThenable(found) ? await found : found;
  if (authentication.kind !== "principal") return unauthenticatedResponse(service.api, pending, authentication);
  const { principal } = authentication;
  pending.caller = principal.name;
  pending.isLetIn = true;
  request.authenticated?.(principal.name);
  if (observation) observation.user = principal.name;
  const turnOfUser = isThenable(found) ? turnOf(service, pending) : undefined;
  if (turnOfUser) await turnOfUser;
  return respondTo(service, pending, principal);
}

function turnOf({ api: { gate } }: Service, { caller, isStop }: PendingRequest): Promise<void> | undefined {
  return gate.turn(caller, isStop ? gate.stopUrgency(caller) : "other");
}

/** Who asks, for the authenticator. */
function callerOf({ request, isStop }: PendingRequest): Caller {
  if (!isStop) return request;
  return {
    isStop: true,
    address: request.address,
    get hasLeft() {
      return request.hasLeft ?? false;
    },
  };
}

/** Callers whose credentials are not certain yet take turns by the place they come from. */
function originOf({ address }: HttpRequest): string {
  return stranger(address);
}

function respondTo(
  service: Service,
  pending: PendingRequest,
  principal: Principal,
): HttpResponse | Promise<HttpResponse> {
  const { request, asked, requestId, observation } = pending;
  if (asked.kind === "fault") throw asked.fault;
  if (asked.kind === "document") return documentResponse(asked.document, request, requestId, principal);
  if (asked.kind === "route") return withoutEndpoint(asked.route, request.method, requestId);
  if (observation) observation.operation = asked.name;
  return performOperation(service, pending, principal, asked.name, asked.source(principal.name));
}

async function performOperation(
  { api, held }: Service,
  { request, requestId, lane }: PendingRequest,
  principal: Principal,
  name: OperationName,
  source: InputSource,
): Promise<HttpResponse> {
  let warning: string | undefined;
  const context = {
    requestId,
    address: request.address,
    traceparent: traceparent(request),
    onWarning: (message: string) => {
      warning = message;
    },
  };
  const output = await api.invoke(name, source, principal, context, asJson);
  const response = outputResponse(requestId, output, warning);
  if (typeof output === "string") return response;
  // What was carried out is not refused.
  if (lane === "read" && !held.hasRoom(principal.name, output.bytes)) throw heldTooMuch("responses");
  return { ...response, written: holdUntilWritten(held, principal.name, output) };
}

/** Counts a large response until its caller has taken it. */
function holdUntilWritten(held: HeldBytes, user: string, { bytes }: Exclude<JsonOutput, string>): () => void {
  held.hold(user, bytes);
  return () => held.release(user, bytes);
}

/** Whoever throws an `AdminError` has reported it, as the API does for operations; anything else is reported here. */
function reported(api: AdminApi, requestId: string, thrown: unknown): AdminError {
  if (thrown instanceof AdminError) return thrown;
  const error = AdminError.from(thrown);
  api.reportFailure(requestId, error);
  return error;
}

function withoutEndpoint({ allow }: PathEndpoints, method: string, requestId: string): HttpResponse {
  if (method === "OPTIONS") return optionsResponse(requestId, allow);
  return errorResponse(requestId, new AdminError("METHOD_NOT_ALLOWED", `This path allows ${allow}`), { Allow: allow });
}

function traceparent(request: HttpRequest): string | undefined {
  const given = request.header("traceparent");
  return given !== undefined && TRACEPARENT.test(given) ? given : undefined;
}
