import { createHash } from "node:crypto";
import { type OperationName, operationNames, operationRecord, operations } from "../core/operations/table.ts";
import type { Permission, Principal } from "../core/principal.ts";
import { conditionalResponse } from "./conditions.ts";
import type { HttpRequest, HttpResponse } from "./message.ts";
import { contentResponse, found, otherMethodResponse } from "./responses.ts";

/** Content served beside the API to authenticated users, such as the OpenAPI document. */
export interface HttpDocument {
  /** Path below the mount point, `/v3/api-docs`. */
  readonly path: string;
  /** Value of `Content-Type`. */
  readonly contentType: string;
  /** The content, or a function that makes it for the reader of each request. */
  readonly content: string | Uint8Array | ((user: Principal, pageKey: string | undefined) => string);
  /** Additional headers; they override those of all responses. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Target of a redirect, relative to `path`: a 302 with the content. */
  readonly location?: string;
}

/** For whom a document is made. */
export interface DocumentReader {
  readonly user: Principal;
  /** Key of the page, if it is to have one (decision D-HTTP 30). */
  readonly pageKey: string | undefined;
}

/** A document with the strong validator of its content (RFC 9110 section 8.8.3); dynamic content has none. */
export interface ServedDocument extends HttpDocument {
  readonly entityTag: string | undefined;
}

/** Finds the document at a path, with or without a query. */
export type DocumentTable = (target: string) => ServedDocument | undefined;

const ALLOW = "GET, HEAD, OPTIONS";

/** Prepares documents; their entity tags are computed once, here. */
export function compileDocuments(documents: readonly HttpDocument[]): DocumentTable {
  const byPath = new Map(documents.map((document) => [document.path, { ...document, entityTag: entityTag(document) }]));
  return (target) => {
    if (byPath.size === 0) return undefined;
    const mark = target.indexOf("?");
    return byPath.get(mark < 0 ? target : target.slice(0, mark));
  };
}

/** The response to a request for a document: 200 or 302, 304 if the caller's copy is current, 405 to other methods. */
export function documentResponse(
  document: ServedDocument,
  request: HttpRequest,
  requestId: string,
  { user, pageKey }: DocumentReader,
): HttpResponse {
  const { method } = request;
  if (method !== "GET" && method !== "HEAD") return otherMethodResponse(requestId, method, ALLOW);
  const { entityTag, contentType, content, location } = document;
  const made = typeof content === "function" ? content(user, pageKey) : content;
  const headers = { ...document.headers, "Content-Type": contentType };
  if (location !== undefined) return found(requestId, made, { ...headers, Location: location });
  const tagged = entityTag === undefined ? headers : { ...headers, ETag: entityTag };
  return conditionalResponse(request, requestId, contentResponse(requestId, made, tagged));
}

function entityTag({ content }: HttpDocument): string | undefined {
  if (typeof content === "function") return undefined;
  return `"${createHash("sha256").update(content).digest("base64url")}"`;
}

/** The user of a page, so that it can mark operations without permission in advance. */
export interface PageUser {
  readonly name: string;
  /** Operations that the user may not call, with the missing permission. */
  readonly denied: Readonly<Partial<Record<OperationName, Permission>>>;
}

/** Makes the document that tells a page its user. Permissions are those of access rules or token; a policy of the host may still refuse. */
export function userDocument(path: string): HttpDocument {
  return { path, contentType: "application/json", content: (user) => JSON.stringify(pageUser(user)) };
}

function pageUser({ name, permissions }: Principal): PageUser {
  const missing = operationNames.flatMap((operation): [OperationName, Permission][] => {
    const { permission } = operationRecord(operations, operation);
    return permission === null || permissions.has(permission) ? [] : [[operation, permission]];
  });
  return { name, denied: Object.fromEntries(missing) };
}
