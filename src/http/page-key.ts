import { createHmac, timingSafeEqual } from "node:crypto";
import { PAGE_KEY_HEADER } from "../core/conventions.ts";
import type { HttpRequest } from "./message.ts";

/**
 * The key of a page that a person has navigated to (decision D-HTTP 30); undefined for a request of another kind. Only browsers set
 * these headers (W3C Fetch Metadata), and no script can: a script of the same origin that asks for the page gets it without its key.
 * The key is derived from the credentials, so each gateway of an installation knows it, and it ends with the password.
 */
export function pageKeyFor(request: HttpRequest): string | undefined {
  const isNavigation =
    request.header("sec-fetch-mode") === "navigate" && request.header("sec-fetch-dest") === "document";
  return isNavigation ? keyOf(request) : undefined;
}

/** Whether a request has the key of a page that was served to these credentials. */
export function hasPageKey(request: HttpRequest): boolean {
  const given = Buffer.from(request.header(PAGE_KEY_HEADER.toLowerCase()) ?? "");
  const expected = Buffer.from(keyOf(request));
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function keyOf(request: HttpRequest): string {
  return createHmac("sha256", request.header("authorization") ?? "")
    .update("key of a page")
    .digest("base64url");
}
