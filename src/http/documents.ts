import { createHash } from "node:crypto";
import type { Principal } from "../core/principal.ts";
import type { HttpRequest, HttpResponse } from "./message.ts";
import { contentResponse, found, notModified, otherMethodResponse } from "./responses.ts";

/** What is served beside the API, to whom the API would serve: the OpenAPI document, for example. */
export interface HttpDocument {
  /** Path below the mount point, `/v3/api-docs`. */
  readonly path: string;
  /** Value of `Content-Type`. */
  readonly contentType: string;
  /** What is served; a function makes it for each request, for the user who asks. */
  readonly content: string | Uint8Array | ((user: Principal) => string);
  /** Further headers, or others in place of those that all responses have. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Where to go instead, relative to `path`: a 302 with the content. */
  readonly location?: string;
}

/** A document with the strong validator of its content (RFC 9110 section 8.8.3); one that is made for each request has none. */
export interface ServedDocument extends HttpDocument {
  readonly entityTag: string | undefined;
}

/** Finds the document that a path and query ask for. */
export type DocumentTable = (target: string) => ServedDocument | undefined;

const ALLOW = "GET, HEAD, OPTIONS";

/** Prepares documents for being served; their entity tags are computed here, once. */
export function compileDocuments(documents: readonly HttpDocument[]): DocumentTable {
  const byPath = new Map(documents.map((document) => [document.path, { ...document, entityTag: entityTag(document) }]));
  return (target) => {
    if (byPath.size === 0) return undefined;
    const mark = target.indexOf("?");
    return byPath.get(mark < 0 ? target : target.slice(0, mark));
  };
}

/** The response to a user's request for a document: 200 or 302, 304 to who has it, 405 to other methods. */
export function documentResponse(
  document: ServedDocument,
  request: HttpRequest,
  requestId: string,
  user: Principal,
): HttpResponse {
  const { method } = request;
  if (method !== "GET" && method !== "HEAD") return otherMethodResponse(requestId, method, ALLOW);
  const { entityTag, contentType, content, location } = document;
  const made = typeof content === "function" ? content(user) : content;
  const headers = { ...document.headers, "Content-Type": contentType };
  if (location !== undefined) return found(requestId, made, { ...headers, Location: location });
  if (entityTag === undefined) return contentResponse(requestId, made, headers);
  const known = request.header("if-none-match");
  const tagged = { ...document.headers, ETag: entityTag };
  if (known !== undefined && isKnown(known, entityTag)) return notModified(requestId, tagged);
  return contentResponse(requestId, made, { ...headers, ETag: entityTag });
}

function entityTag({ content }: HttpDocument): string | undefined {
  if (typeof content === "function") return undefined;
  return `"${createHash("sha256").update(content).digest("base64url")}"`;
}

/** Whether `If-None-Match` names the tag; weak ones count (RFC 9110 section 13.1.2). */
function isKnown(ifNoneMatch: string, entityTag: string): boolean {
  if (ifNoneMatch.trim() === "*") return true;
  return [...ifNoneMatch.matchAll(/(?:W\/)?("[^"]*")/g)].some(([, tag]) => tag === entityTag);
}
