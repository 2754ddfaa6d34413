import type { AdminError } from "../core/errors.ts";
import type { HttpResponse } from "./message.ts";

type Headers = Record<string, string>;

/** Headers of every answer (decision D-HTTP 8). */
function baseHeaders(requestId: string): Headers {
  return { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Request-Id": requestId };
}

/** The answer of an operation: its output as JSON, or no content where the output is `null`. */
export function answer(requestId: string, output: unknown, warning: string | undefined): HttpResponse {
  const headers = baseHeaders(requestId);
  if (warning !== undefined) headers["X-Admin-Warning"] = warning;
  if (output === null) return { status: 200, headers, body: "" };
  headers["Content-Type"] = "application/json";
  return { status: 200, headers, body: JSON.stringify(output) };
}

/** An answer without content. */
export function emptyAnswer(requestId: string, status: number, headers: Headers): HttpResponse {
  return { status, headers: { ...baseHeaders(requestId), ...headers }, body: "" };
}

/** 401: no body, and a challenge (specification, "Errors"; decision D-HTTP 2). */
export function unauthenticated(requestId: string, challenge: string): HttpResponse {
  return emptyAnswer(requestId, 401, { "WWW-Authenticate": challenge });
}

/** An error with its JSON body. */
export function errorAnswer(requestId: string, error: AdminError, headers: Headers = {}): HttpResponse {
  const retry: Headers = error.status === 429 || error.status === 503 ? { "Retry-After": "1" } : {};
  return {
    status: error.status,
    headers: { ...baseHeaders(requestId), ...retry, ...headers, "Content-Type": "application/json" },
    body: JSON.stringify(error),
  };
}
