import type { ErrorBody, MutationOutcome } from "../core/errors.ts";
import { nodeKey, PATH_FIELD } from "../core/operations/target.ts";
import { type ApprovedRequest, approvedRequestOf } from "../core/records/record.ts";
import { type Fields, isObject, jsonIn } from "../core/values/basics.ts";
import {
  type AdminClientError,
  AppliedError,
  DeniedError,
  type FailureDetails,
  NotAppliedError,
  OutcomeUnknownError,
  ReadFailedError,
} from "./errors.ts";
import type { ClientCall, Lost, Received } from "./exchange.ts";
import { failureReason, isCertainlyUnsent } from "./network-failure.ts";
import { OUTPUT_KINDS } from "./output-kinds.ts";
import { NOT_APPLIED_STATUSES } from "./routes.ts";

export type Result = Success | Failure;

interface Success {
  readonly ok: true;
  /** The response of the operation; `null` for an empty one. */
  readonly value: unknown;
  /** Part of the request had no effect. */
  readonly warning: { readonly requestId: string; readonly message: string } | undefined;
  readonly entityTag: string | undefined;
  /** Outcome of a command as the response states it; undefined where it does not. */
  readonly outcome: "applied" | undefined;
  readonly approves: ApprovedRequest | undefined;
}

interface Failure {
  readonly ok: false;
  readonly error: AdminClientError;
  /** A read that failed so may succeed in a moment. */
  readonly passing: boolean;
}

/** Statuses of a read that may pass (specification, "Errors": "retry later"). */
const PASSING_STATUSES: ReadonlySet<number> = new Set([429, 503]);

/** Result of a call. `now` is in epoch milliseconds. */
export function callResult(call: ClientCall, came: Received | Lost, now: number): Result {
  if (came.kind === "lost") return lossOf(call, came);
  const outcome = call.route.retry === undefined ? saidOutcome(came) : undefined;
  const value = came.status === 200 ? understood(call, came.body) : undefined;
  const other = value === undefined ? undefined : mismatchIn(call, value);
  if (value === undefined || other !== undefined || outcome === "unknown") return refusalOf(call, came, now, other);
  const message = came.headers.get("x-admin-warning");
  const warning = message === null ? undefined : { requestId: requestIdOf(call, came), message };
  const entityTag = entityTagIn(came);
  return { ok: true, value, warning, entityTag, outcome: outcome && "applied", approves: approvedIn(came) };
}

/** The request of another user that a change has approved (decision D-UAC 23). */
function approvedIn({ headers }: Received): ApprovedRequest | undefined {
  const annotations = Object.fromEntries(new URLSearchParams(headers.get("x-admin-approves") ?? ""));
  return approvedRequestOf({ annotations });
}

/** A proxy that compresses has made it weak: the text is the same. */
function entityTagIn({ headers }: Received): string | undefined {
  return headers.get("etag")?.replace(/^W\//, "");
}

/** Failure of a call that could not be sent. */
export function unsentFailure(call: ClientCall, thrown: unknown): Failure {
  const details = { operation: call.name, requestId: call.requestId, reason: failureReason(thrown), cause: thrown };
  return { ok: false, error: errorOf(call, details, "not-applied"), passing: false };
}

function lossOf(call: ClientCall, { at, thrown, aborted }: Lost): Failure {
  const became = at === "credentials" || isCertainlyUnsent(thrown) ? "not-applied" : "unknown";
  const prefix = at === "credentials" && !aborted ? "there are no credentials to send: " : "";
  const reason = `${prefix}${failureReason(thrown)}`;
  const details = { operation: call.name, requestId: call.requestId, reason, cause: thrown };
  return { ok: false, error: errorOf(call, details, became), passing: at === "network" && !aborted };
}

function refusalOf(call: ClientCall, received: Received, now: number, other?: string): Failure {
  const { status, headers } = received;
  const body = errorBody(received);
  const details: FailureDetails = {
    operation: call.name,
    requestId: requestIdOf(call, received),
    reason: body?.message ?? other ?? describeStrangeReply(received),
    status: status === 0 ? undefined : status,
    retryAfter: secondsOf(headers.get("retry-after"), now),
  };
  const became = saidOutcome(received) ?? outcomeOfStatus(status, body !== undefined);
  return { ok: false, error: errorOf(call, details, became), passing: PASSING_STATUSES.has(status) };
}

/**
 * What a response says of a mutation (decision D-ENG 16); undefined where it says nothing, or a proxy has taken it out. One that contradicts its
 * status is not a response of the API, so nobody knows.
 */
export function saidOutcome({ status, headers }: Pick<Received, "status" | "headers">): MutationOutcome | undefined {
  const said = headers.get("x-admin-outcome");
  if (said !== "applied" && said !== "not-applied" && said !== "unknown") return undefined;
  const contradicts = isSuccess(status) ? said !== "applied" : said === "applied" && NOT_APPLIED_STATUSES.has(status);
  return contradicts ? "unknown" : said;
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Only the API itself knows what it did not do: a proxy may respond 503 to a request that it has forwarded. */
function outcomeOfStatus(status: number, isOfTheApi: boolean): MutationOutcome {
  return NOT_APPLIED_STATUSES.has(status) && (isOfTheApi || status === 401) ? "not-applied" : "unknown";
}

function errorOf({ route }: ClientCall, details: FailureDetails, became: MutationOutcome): AdminClientError {
  const denied = details.status === 401 || details.status === 403;
  if (route.retry === "safe") return denied ? new DeniedError(details, undefined) : new ReadFailedError(details);
  if (became === "applied") return new AppliedError(details);
  if (became === "unknown") return new OutcomeUnknownError(details);
  return denied ? new DeniedError(details, "not-applied") : new NotAppliedError(details);
}

/** A proxy on the way may give a request its own id; the id in the response is the one in the server's log. */
function requestIdOf(call: ClientCall, { headers }: Received): string {
  return headers.get("x-request-id") || call.requestId;
}

/** The value that a 200 carries, or undefined when it is not one of the operation. */
function understood({ name, route: { response, optional = [] } }: ClientCall, body: string): unknown {
  if (response === undefined) return body === "" ? null : undefined;
  const value = jsonIn(body);
  const fields = Object.keys(OUTPUT_KINDS[name]).filter((field) => !optional.includes(field));
  const isWhole = (object: unknown): boolean => isObject(object) && fields.every((field) => field in object);
  if (response === "array") return Array.isArray(value) && value.every(isWhole) ? value : undefined;
  return isWhole(value) ? value : undefined;
}

/** Message for a response about another target, which belongs to another request; undefined for a match. */
function mismatchIn({ route: { names = {} }, input }: ClientCall, value: unknown): string | undefined {
  const objects = (Array.isArray(value) ? value : [value]) as readonly Fields[];
  for (const [field, name = ""] of Object.entries(names)) {
    const requested = String(input[field] ?? "");
    const keyOf = field === PATH_FIELD ? nodeKey : String;
    const isOther = (named: string): boolean => named !== requested && keyOf(named) !== keyOf(requested);
    const other = objects.map((object) => String(object[name] ?? "")).find(isOther);
    if (other !== undefined)
      return `the response is about ${name} ${JSON.stringify(other)}, and not ${JSON.stringify(requested)}`;
  }
  return undefined;
}

/** The API's own error body (specification, "Errors"), or undefined for anything else. */
function errorBody({ status, body }: Received): ErrorBody | undefined {
  const { status: said, error, message } = objectIn(body);
  if (said !== status || typeof error !== "string" || typeof message !== "string") return undefined;
  return { status, error, message };
}

/** The object that a body is as JSON; one without fields where it is something else. */
export function objectIn(body: string): Readonly<Record<string, unknown>> {
  const value = jsonIn(body);
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** How the reason of a response begins that something on the way has given. */
export const NOT_OF_THE_API = "the response is not from this API";

function describeStrangeReply(received: Received): string {
  const { status, headers, body } = received;
  if (isSuccess(status) && saidOutcome(received) === "unknown")
    return `the response contradicts itself: status ${status} with X-Admin-Outcome ${headers.get("x-admin-outcome")}`;
  if (status === 401) return "the credentials are missing, expired or wrong";
  if (status === 0 || (status > 299 && status < 400))
    return "the response is a redirect, which is not followed; check the address";
  const type = headers.get("content-type") ?? "no content type";
  return `${NOT_OF_THE_API} (${type}, ${body.length} characters); check the address, and proxies on the way`;
}

/** Seconds of a `Retry-After` header: a number or a date (RFC 9110 section 10.2.3). */
function secondsOf(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1_000));
}
