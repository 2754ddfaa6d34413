import { AdminError } from "../core/errors.ts";
import type { HttpRequest } from "./message.ts";

const BASIC = /^basic /i;

/** What is wrong with a request that has two of them. */
export const HOST_TWICE = "The header Host is there more than once";

/**
 * Refuses a request with more than one `Host` (decision D-HTTP 25): servers on the way could each choose another (RFC 9112 section
 * 3.2). Node refuses one without. Throws `BAD_REQUEST`.
 */
export function refuseTwoHosts(request: HttpRequest): void {
  if (request.header("host")?.includes(",")) throw new AdminError("BAD_REQUEST", HOST_TWICE);
}

/**
 * Refuses a command that a browser sends on behalf of a page of another site (decision D-HTTP 27). The browser adds the Basic
 * credentials that its user typed for this site to every request, and a command without a body needs no preflight; it never adds a
 * token by itself. Browsers name the origin of a request in `Sec-Fetch-Site` (W3C Fetch Metadata) over TLS and loopback, and in
 * `Origin` (RFC 6454) everywhere; a request with neither does not come from a browser. Throws `CROSS_SITE`.
 */
export function refuseCrossSite(request: HttpRequest): void {
  const isAmbient = BASIC.test(request.header("authorization") ?? "");
  if (!isAmbient || isSameSite(request)) return;
  throw new AdminError("CROSS_SITE", "A page of another site may not send commands with a user's credentials");
}

function isSameSite(request: HttpRequest): boolean {
  const site = request.header("sec-fetch-site");
  if (site !== undefined) return site === "same-origin" || site === "none";
  const origin = request.header("origin");
  return origin === undefined || hostHeaderOf(origin) === request.header("host");
}

/** Undefined for `null`, the origin of pages without one. */
function hostHeaderOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
