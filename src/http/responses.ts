import type { Authentication } from "../auth/authenticator.ts";
import type { AdminApi } from "../core/admin-api.ts";
import { NOTHING_SERVED } from "../core/conventions.ts";
import { AdminError, mutationOutcome } from "../core/errors.ts";
import { entityTagOf, type JsonOutput } from "../core/load/output-form.ts";
import type { ApprovedRequest } from "../core/records/record.ts";
import { recordedText } from "../core/records/record-size.ts";
import type { HttpRequest, HttpResponse } from "./message.ts";

type Headers = Record<string, string | number>;

/** Headers of every response (decision D-HTTP 8). */
function baseHeaders(requestId: string, length: number): Headers {
  return {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Request-Id": requestId,
    "Content-Length": length,
  };
}

/** What a response says beside the output of its operation. */
interface AboutOutput {
  readonly warning: string | undefined;
  readonly approves: ApprovedRequest | undefined;
  readonly isRead: boolean;
}

/** The response of an operation: its output as JSON, or no content where that is empty; that of a read has an entity tag. */
export function outputResponse(
  requestId: string,
  output: JsonOutput,
  { warning, approves, isRead }: AboutOutput,
): HttpResponse {
  const isText = typeof output === "string";
  const headers = baseHeaders(requestId, isText ? Buffer.byteLength(output) : output.bytes);
  if (output !== "") headers["Content-Type"] = "application/json";
  if (warning !== undefined) headers["X-Admin-Warning"] = warning;
  if (approves) headers["X-Admin-Approves"] = approvesValue(approves);
  if (isRead) headers.ETag = entityTagOf(output);
  return { status: 200, headers, body: isText ? output : output.parts };
}

/** Bytes of a name or reason in a header: form-encoded they are at most three times as many, and proxies take 4 KB of headers in all. */
const MAX_HEADER_TEXT = 256;

/** Value of `X-Admin-Approves` (decision D-UAC 23), form-encoded: names and reasons may have any characters. */
function approvesValue(request: ApprovedRequest): string {
  const texts = Object.entries(request).map(([name, text]) => [name, recordedText(text, MAX_HEADER_TEXT)]);
  return new URLSearchParams(Object.fromEntries(texts)).toString();
}

/** The response to a method that the path does not have: 405, or 204 to OPTIONS (decision D-HTTP 4). */
export function otherMethodResponse(requestId: string, method: string, allow: string): HttpResponse {
  if (method !== "OPTIONS") {
    return errorResponse(requestId, new AdminError("METHOD_NOT_ALLOWED", `This path allows ${allow}`), {
      Allow: allow,
    });
  }
  // A 204 has no length (RFC 9110 section 8.6).
  const { "Content-Length": _none, ...headers } = baseHeaders(requestId, 0);
  return { status: 204, headers: { ...headers, Allow: allow }, body: "" };
}

/** 200 with content that is already encoded. */
export function contentResponse(requestId: string, content: string | Uint8Array, headers: Headers): HttpResponse {
  const body = typeof content === "string" ? content : [content];
  return { status: 200, headers: { ...baseHeaders(requestId, Buffer.byteLength(content)), ...headers }, body };
}

/** 302: redirect (RFC 9110 section 15.4.3). */
export function found(requestId: string, content: string | Uint8Array, headers: Headers): HttpResponse {
  return { ...contentResponse(requestId, content, headers), status: 302 };
}

/** 401: no body, and a challenge (specification, "Errors"; decision D-HTTP 11). */
function unauthenticated(requestId: string, challenge: string): HttpResponse {
  return { status: 401, headers: { ...baseHeaders(requestId, 0), "WWW-Authenticate": challenge }, body: "" };
}

export function errorResponse(requestId: string, error: AdminError, headers: Headers = {}): HttpResponse {
  const body = JSON.stringify(error);
  const retry: Headers = error.status === 429 || error.status === 503 ? { "Retry-After": "1" } : {};
  const base = baseHeaders(requestId, Buffer.byteLength(body));
  return { status: error.status, headers: { ...base, "Content-Type": "application/json", ...retry, ...headers }, body };
}

/** An error for bytes that never became a request of the API: it has no request id. */
export function refusal(error: AdminError, headers: Headers = {}): HttpResponse {
  const { headers: full, ...rest } = errorResponse("", error, headers);
  const { "X-Request-Id": _none, ...others } = full;
  return { ...rest, headers: others };
}

/** The 404 outside the API; `basePath` is where the API is, if there is one. */
export function nothingServed(basePath?: string): HttpResponse {
  const advice = basePath === undefined ? "" : `; the API is below ${basePath}`;
  return refusal(new AdminError("UNKNOWN_PATH", `${NOTHING_SERVED}${advice}`));
}

/** Adds the outcome of the command as `X-Admin-Outcome` (decision D-ENG 16); `error` is the reason of its failure. */
export function withOutcome(response: HttpResponse, error: AdminError | undefined): HttpResponse {
  // An authentication that is refused has no error.
  const outcome = mutationOutcome(error?.outcome ?? (response.status === 200 ? "applied" : "denied"));
  return { ...response, headers: { ...response.headers, "X-Admin-Outcome": outcome } };
}

/** Bytes of the content; 0 where there is none. */
export function lengthOf({ headers }: HttpResponse): number {
  return Number(headers["Content-Length"] ?? 0);
}

/** Whether a request was refused because of its caller or its input, and not by the engine. */
export function isRefused({ status }: HttpResponse, error: AdminError | undefined): boolean {
  return status >= 400 && status < 500 && error?.outcome !== "rejected";
}

/** A request whose credentials were not accepted. */
export interface Refused {
  readonly request: HttpRequest;
  readonly requestId: string;
}

/**
 * The response to a request whose credentials are not accepted: 401, 403 when the API is closed, or 429 when they were not
 * checked. Presented credentials are reported.
 */
export function unauthenticatedResponse(
  api: Pick<AdminApi, "reportFailedLogin">,
  { request, requestId }: Refused,
  authentication: Exclude<Authentication, { kind: "principal" }>,
): HttpResponse {
  if (authentication.kind === "closed") {
    return errorResponse(requestId, new AdminError("API_CLOSED", authentication.reason));
  }
  const throttled = authentication.kind === "throttled";
  if (authentication.presented) {
    const stage = throttled ? "login-throttled" : "login-refused";
    api.reportFailedLogin({ stage, ...authentication.presented, address: request.address ?? null, requestId });
  }
  if (throttled) return errorResponse(requestId, new AdminError("TOO_MANY_LOGINS", authentication.reason));
  return unauthenticated(requestId, authentication.challenge);
}
