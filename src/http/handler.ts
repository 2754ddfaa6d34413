import type { Authentication } from "../auth/authenticator.ts";
import type { AdminApi } from "../core/admin-api.ts";
import type { CallContext, InputSource, RequestArrival } from "../core/calls/call.ts";
import { REQUEST_ID, requestIds } from "../core/conventions.ts";
import { AdminError } from "../core/errors.ts";
import { harmless } from "../core/host-calls.ts";
import { anonymousCaller } from "../core/load/caller-queue.ts";
import { FLOOR_OF_USER_BYTES, heldBytesQuota, memoryLimitExceeded } from "../core/load/held-bytes.ts";
import { asJson } from "../core/load/output-form.ts";
import type { Quota } from "../core/load/quota.ts";
import type { Lane } from "../core/operations/operation.ts";
import type { CallName } from "../core/operations/table.ts";
import type { Principal } from "../core/principal.ts";
import type { ApprovedRequest } from "../core/records/record.ts";
import { isThenable } from "../core/values/basics.ts";
import { type AdminHttpOptions, checkedOptions, type ResponseListener } from "./admin-http-options.ts";
import { conditionalResponse, namesTag } from "./conditions.ts";
import { compileDocuments, documentResponse, type ServedDocument } from "./documents.ts";
import { hostFault, traceparentOf } from "./headers.ts";
import { type Identification, identify } from "./identify.ts";
import type { HttpHandler, HttpRequest, HttpResponse } from "./message.ts";
import { refuseOtherPages } from "./other-pages.ts";
import { type KeyHolder, PageKeys } from "./page-key.ts";
import { inputReader, refusedSource } from "./request-input.ts";
import { type Target, targetResolver } from "./resolve-target.ts";
import {
  errorResponse,
  isRefused,
  lengthOf,
  otherMethodResponse,
  outputResponse,
  unauthenticatedResponse,
  withOutcome,
} from "./responses.ts";
import { compileRoutes } from "./routes.ts";

interface Service extends Identification {
  readonly api: AdminApi;
  readonly report: ResponseListener | undefined;
  /** Undefined where all pages of this origin are ours. */
  readonly pageKeys: PageKeys | undefined;
  /** Large responses that are being written, bodies that are arriving. */
  readonly held: Quota;
  readonly nextRequestId: () => string;
}

/** Bytes from which on a response is written by itself. */
const LARGE_RESPONSE = 64 * 1024;

/** Bytes from which on a response is counted until its caller has taken it. */
const COUNTED_RESPONSE = 4 * 1024;

/**
 * Makes the handler that all adapters share. To serve the API with another framework, make an {@link HttpRequest} of the framework's
 * request and the framework's response of the {@link HttpResponse}. The handler returns undefined for a path outside the API. It checks
 * the header's size, credentials, `Host`, path, method, permission, the site that a browser's command comes from, body and input, in this order,
 * and never rejects. Throws `TypeError` without an authenticator, `RangeError` for a `maxBodyBytes` or `basePath` that cannot be used.
 *
 * @example
 * const handle = httpHandler(api, { authenticator });
 * const responding = handle({ method, target, header: (name) => headers[name], address, readBody });
 */
export function httpHandler(api: AdminApi, options: AdminHttpOptions): HttpHandler {
  const { authenticator, onResponse, onlyOwnPages = false, basePath, maxBodyBytes } = checkedOptions(api, options);
  const held = heldBytesQuota(FLOOR_OF_USER_BYTES);
  const input = inputReader(api, maxBodyBytes, held);
  const pageKeys = onlyOwnPages ? new PageKeys() : undefined;
  const report = onResponse && harmless("`onResponse`", onResponse);
  const service: Service = { api, authenticator, report, pageKeys, held, nextRequestId: requestIds() };
  const documents = compileDocuments(options.documents ?? []);
  const targetOf = targetResolver({ basePath, router: compileRoutes(api), input, documents });
  return (request) => {
    const target = targetOf(request);
    return target && new Exchange(service, request, target).respond();
  };
}

/** One request, its response, and the context of its call. `respond` comes first; the context's own members come last. */
class Exchange implements CallContext {
  readonly #service: Service;
  readonly #request: HttpRequest;
  readonly #target: Target;
  readonly arrival: RequestArrival;
  readonly requestId: string;
  /** Undefined without an operation. */
  readonly #lane: Lane | undefined;
  /** 0 without a listener. */
  readonly #startedAt: number;
  /** Undefined until the credentials are accepted. */
  #user: Principal | undefined;
  #isPasswordVerified = false;
  #warning: string | undefined;
  #approves: ApprovedRequest | undefined;

  constructor(service: Service, request: HttpRequest, target: Target) {
    const given = request.header("x-request-id");
    this.#service = service;
    this.#request = request;
    this.#target = target;
    this.arrival = request.arrival ?? service.api.arrive();
    this.#startedAt = service.report ? performance.now() : 0;
    this.requestId = given !== undefined && REQUEST_ID.test(given) ? given : service.nextRequestId();
    this.#lane = target.kind === "operation" ? service.api.laneOf(target.name) : undefined;
  }

  async respond(): Promise<HttpResponse> {
    const { gate } = this.#service.api;
    let response: HttpResponse;
    let error: AdminError | undefined;
    try {
      const turn = this.#turn();
      if (turn) await turn;
      if (this.#request.fault) throw this.#request.fault;
      const found = identify(this.#service, this.#request, this.#lane);
      response = await this.#answer(isThenable(found) ? await found : found);
    } catch (thrown) {
      error = this.#reported(thrown);
      response = errorResponse(this.requestId, error);
    }
    // Written together with others, except for stops and for what takes the rest of the turn (decision D-LOAD 13).
    if (!this.#isStop && lengthOf(response) < LARGE_RESPONSE) await gate.endOfTurn();
    if (this.#mayBeCommand) response = withOutcome(response, error);
    if (this.#isStop) this.#stopEnded(isRefused(response, error));
    this.#report(response.status);
    return response;
  }

  #answer(authentication: Authentication): HttpResponse | Promise<HttpResponse> {
    const request = this.#request;
    if (authentication.kind !== "principal") {
      return unauthenticatedResponse(this.#service.api, { request, requestId: this.requestId }, authentication);
    }
    this.#user = authentication.principal;
    this.#isPasswordVerified = authentication.isPasswordVerified === true;
    return this.#dispatch(this.#user);
  }

  #dispatch(user: Principal): HttpResponse | Promise<HttpResponse> {
    const target = this.#target;
    const fault = hostFault(this.#request.header("host"));
    if (fault) throw fault;
    if (target.kind === "fault") throw target.fault;
    if (target.kind === "document") {
      if (this.#request.refusal) throw this.#request.refusal;
      return this.#document(target.document, user);
    }
    if (target.kind === "path") return otherMethodResponse(this.requestId, this.#request.method, target.allow);
    return this.#invoke(target.name, this.#input(target.source(user.name), user), user);
  }

  async #document(document: ServedDocument, user: Principal): Promise<HttpResponse> {
    const pageKey = await this.#service.pageKeys?.keyFor(this.#request, this.#keyHolder(user));
    const response = await documentResponse(document, this.#request, this.requestId, { user, pageKey });
    if (this.#request.method !== "HEAD") this.#hold(user.name, lengthOf(response));
    return response;
  }

  #keyHolder({ name }: Principal): KeyHolder {
    return { name, isPasswordVerified: this.#isPasswordVerified };
  }

  /** The API reads the input once it has checked the permission. */
  #input(source: InputSource, user: Principal): InputSource {
    const { refusal } = this.#request;
    if (refusal) return refusedSource(source, refusal);
    if (this.#lane === "read") return source;
    const read = (): unknown => {
      const checking = refuseOtherPages(this.#request, this.#keyHolder(user), this.#service.pageKeys);
      return checking ? checking.then(() => source.read()) : source.read();
    };
    return { known: source.known, read };
  }

  #invoke(name: CallName, source: InputSource, user: Principal): Promise<HttpResponse> {
    return this.#service.api.invoke(name, source, user, this, asJson).then((output) => {
      const about = { warning: this.#warning, approves: this.#approves, isRead: this.#lane === "read" };
      const full = outputResponse(this.requestId, output, about);
      const response = conditionalResponse(this.#request, this.requestId, full);
      this.#hold(user.name, lengthOf(response));
      return response;
    });
  }

  /** Counts a response that is not small until it is written; refuses it when there is no room, unless it tells what a command has done. */
  #hold(user: string, bytes: number): void {
    if (bytes < COUNTED_RESPONSE) return;
    const { held } = this.#service;
    const isRead = this.#lane === undefined || this.#lane === "read";
    if (isRead && !held.hasRoom(user, bytes)) throw memoryLimitExceeded("responses");
    if (!this.#request.onClose) return;
    held.take(user, bytes);
    this.#request.onClose(() => held.release(user, bytes));
  }

  /** Whoever throws an `AdminError` has reported it, as the API does for operations; anything else is reported here. */
  #reported(thrown: unknown): AdminError {
    if (thrown instanceof AdminError) return thrown;
    const error = AdminError.from(thrown);
    this.#service.api.reportFailure(this.requestId, error);
    return error;
  }

  #stopEnded(refused: boolean): void {
    if (refused) this.#service.api.gate.stopPriority.refused(this.#caller);
    this.#request.stopEnded?.(refused && this.#user === undefined);
  }

  #report(status: number): void {
    const { report } = this.#service;
    report?.({
      method: this.#request.method,
      operation: this.#user && this.#target.kind === "operation" ? this.#target.name : null,
      status,
      requestId: this.requestId,
      user: this.#user?.name ?? null,
      address: this.#request.address,
      durationMs: performance.now() - this.#startedAt,
    });
  }

  get address(): string | undefined {
    return this.#request.address;
  }

  get ifMatch(): CallContext["ifMatch"] {
    const named = this.#request.header("if-match");
    return named === undefined ? undefined : (entityTag) => namesTag(named, entityTag, "strong");
  }

  get traceparent(): string | undefined {
    return traceparentOf(this.#request.header("traceparent"));
  }

  isDisconnected(): boolean {
    return this.#request.isDisconnected ?? false;
  }

  onWarning(message: string): void {
    this.#warning = this.#warning === undefined ? message : `${this.#warning}; ${message}`;
  }

  onApproval(request: ApprovedRequest): void {
    this.#approves = request;
  }

  get #isStop(): boolean {
    return this.#lane === "stop";
  }

  /**
   * Whether the response has an outcome (decision D-ENG 16). Until its user is authenticated, each POST counts as a command: a response
   * must not reveal which paths exist (decision D-HTTP 1).
   */
  get #mayBeCommand(): boolean {
    const isRead = this.#user !== undefined && this.#lane === "read";
    return this.#request.method === "POST" && this.#target.kind !== "document" && !isRead;
  }

  /** Caller for the gate: the user once authenticated, the address before. */
  get #caller(): string {
    return this.#user?.name ?? anonymousCaller(this.#request.origin ?? this.#request.address);
  }

  #turn(): Promise<void> | undefined {
    const { gate } = this.#service.api;
    const caller = this.#caller;
    return gate.admit(caller, this.#isStop ? gate.stopPriority.priority(caller) : "other");
  }
}
