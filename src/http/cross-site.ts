import { AdminError } from "../core/errors.ts";
import type { HttpRequest } from "./message.ts";

const BASIC = /^basic /i;

/**
 * Refuses a command that a browser sends for a page of another site: it adds the credentials that its user has typed for this one,
 * whichever page asks, and a command without a body needs no preflight. A token is never added by itself. Browsers say where a request
 * comes from in `Sec-Fetch-Site` (W3C Fetch Metadata) over TLS and loopback, and in `Origin` (RFC 6454) everywhere; what says
 * nothing is no browser. Throws `CROSS_SITE`.
 */
export function refuseCrossSite(request: HttpRequest): void {
  const isAmbient = BASIC.test(request.header("authorization") ?? "");
  if (!isAmbient || isOfThisSite(request)) return;
  throw new AdminError("CROSS_SITE", "A page of another site may not send commands with a user's credentials");
}

function isOfThisSite(request: HttpRequest): boolean {
  const site = request.header("sec-fetch-site");
  if (site !== undefined) return site === "same-origin" || site === "none";
  const origin = request.header("origin");
  return origin === undefined || hostOf(origin) === request.header("host");
}

/** Undefined for `null`, the origin of pages without one. */
function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
