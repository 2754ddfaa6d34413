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
  /** The content; a function that makes it for the reader of each request; or `make`, which makes it for the first reader, in pieces. */
  readonly content:
    | string
    | Uint8Array
    | ((user: Principal, pageKey: string | undefined) => string)
    | { readonly make: () => Promise<string> };
  /** Additional headers; they override those of all responses. */
  readonly headers?: Readonly<Record<string, string>>;
  /** More of them in responses to the user and to pages of this origin: no page of another site must bring their effect about. */
  readonly headersFromHere?: Readonly<Record<string, string>>;
  /** Target of a redirect, relative to `path`: a 302 with the content. */
  readonly location?: string;
}

export interface DocumentReader {
  readonly user: Principal;
  /** Key of the page, if it is to have one (decision D-HTTP 30). */
  readonly pageKey: string | undefined;
}

/** Content with its strong validator (RFC 9110 section 8.8.3); what is made for each request has none. */
interface Representation {
  readonly content: string | Uint8Array;
  readonly entityTag: string | undefined;
}

/** A document, and how its reader gets the content. */
export interface ServedDocument extends HttpDocument {
  readonly read: (reader: DocumentReader) => Representation | Promise<Representation>;
}

/** Finds the document at a path, with or without a query. */
export type DocumentTable = (target: string) => ServedDocument | undefined;

const ALLOW = "GET, HEAD, OPTIONS";

/** `Sec-Fetch-Site` of a request by a page of this origin, or by the user, who typed the address. */
const FROM_HERE: ReadonlySet<string | undefined> = new Set(["same-origin", "none"]);

/** Prepares documents; entity tags are computed once. */
export function compileDocuments(documents: readonly HttpDocument[]): DocumentTable {
  const byPath = new Map(documents.map((document) => [document.path, { ...document, read: readerOf(document) }]));
  return (target) => {
    if (byPath.size === 0) return undefined;
    const mark = target.indexOf("?");
    return byPath.get(mark < 0 ? target : target.slice(0, mark));
  };
}

/** The response to a request for a document: 200 or 302, 304 if the caller's copy is current, 405 to other methods. */
export async function documentResponse(
  document: ServedDocument,
  request: HttpRequest,
  requestId: string,
  reader: DocumentReader,
): Promise<HttpResponse> {
  const { method } = request;
  if (method !== "GET" && method !== "HEAD") return otherMethodResponse(requestId, method, ALLOW);
  const { contentType, location } = document;
  const { content, entityTag } = await document.read(reader);
  const fromHere = FROM_HERE.has(request.header("sec-fetch-site")) ? document.headersFromHere : {};
  const headers = { ...document.headers, ...fromHere, "Content-Type": contentType };
  if (location !== undefined) return found(requestId, content, { ...headers, Location: location });
  const validated = entityTag === undefined ? headers : { ...headers, ETag: entityTag };
  return conditionalResponse(request, requestId, contentResponse(requestId, content, validated));
}

function readerOf({ content }: HttpDocument): ServedDocument["read"] {
  if (typeof content === "function") {
    return ({ user, pageKey }) => ({ content: content(user, pageKey), entityTag: undefined });
  }
  if (typeof content === "object" && "make" in content) {
    let made: Promise<Representation> | undefined;
    return () => {
      made ??= content.make().then(tagged);
      // Whoever reads it next tries again.
      made.catch(() => {
        made = undefined;
      });
      return made;
    };
  }
  const fixed = tagged(content);
  return () => fixed;
}

function tagged(content: string | Uint8Array): Representation {
  return { content, entityTag: `"${createHash("sha256").update(content).digest("base64url")}"` };
}

/** A document that leads to another path; `location` is relative to `path`. */
export function redirect(path: string, location: string): HttpDocument {
  return { path, location, contentType: "text/plain; charset=utf-8", content: `${location}\n` };
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
