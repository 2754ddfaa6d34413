import type { Authentication } from "../auth/authenticator.ts";
import type { AdminApi } from "../core/admin-api.ts";
import { AdminError } from "../core/errors.ts";
import type { HttpRequest, HttpResponse } from "./message.ts";
import { errorResponse, unauthenticated } from "./responses.ts";

/** A request that was not let in. */
export interface Refused {
  readonly request: HttpRequest;
  readonly requestId: string;
}

/**
 * The response to a request whose credentials are not accepted: 401, or 403 when the API is closed, or 429 when they were not
 * checked. Credentials that were presented are reported.
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
