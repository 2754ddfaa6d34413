import { AdminError } from "../core/errors.ts";
import type { HttpRequest, HttpResponse } from "./message.ts";
import { errorResponse } from "./responses.ts";

/**
 * Whether `If-Match` or `If-None-Match` names an entity tag (RFC 9110 section 8.8.3.2). In a strong comparison a weak tag equals none: a proxy
 * that compresses a response weakens its tag.
 */
export function namesTag(header: string, entityTag: string, comparison: "strong" | "weak"): boolean {
  if (header.trim() === "*") return true;
  return [...header.matchAll(/(W\/)?("[^"]*")/g)].some(
    ([, weak, tag]) => tag === entityTag && (weak === undefined || comparison === "weak"),
  );
}

/**
 * The response to a GET or HEAD whose full response has an `ETag`: 304 where the caller has the content, 412 where `If-Match` does not name it,
 * in the order of RFC 9110 section 13.2.2. Other responses and other methods have no condition.
 */
export function conditionalResponse(request: HttpRequest, requestId: string, full: HttpResponse): HttpResponse {
  const entityTag = full.headers.ETag;
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (!isRead || typeof entityTag !== "string") return full;
  const wanted = request.header("if-match");
  if (wanted !== undefined && !namesTag(wanted, entityTag, "strong")) return errorResponse(requestId, changed());
  const known = request.header("if-none-match");
  return known !== undefined && namesTag(known, entityTag, "weak") ? notModified(full) : full;
}

/** If-Match names another state than the present one. */
function changed(): AdminError {
  return new AdminError("PRECONDITION_FAILED", "If-Match does not name the present state");
}

/** 304 with what the 200 would have but its content (RFC 9110 section 15.4.5). */
function notModified({ headers }: HttpResponse): HttpResponse {
  const { "Content-Length": _length, "Content-Type": _type, ...rest } = headers;
  return { status: 304, headers: rest, body: "" };
}
