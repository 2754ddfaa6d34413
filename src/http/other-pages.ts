import { AdminError } from "../core/errors.ts";
import type { HttpRequest } from "./message.ts";
import type { KeyHolder, PageKeys } from "./page-key.ts";

const BEARER = /^bearer /i;

export function isOfBrowser(header: (name: string) => string | undefined): boolean {
  return header("sec-fetch-site") !== undefined || header("origin") !== undefined;
}

/**
 * Whether a browser has sent a request with credentials that it adds by itself: those that its user typed for this origin, or what a host
 * takes otherwise (Kerberos, a client certificate). Only a token comes from the page alone.
 */
function isAmbient(request: HttpRequest): boolean {
  const header = (name: string): string | undefined => request.header(name);
  return isOfBrowser(header) && !BEARER.test(header("authorization") ?? "");
}

/**
 * Refuses a command that a browser sends on behalf of a page of another site (decision D-HTTP 27). The browser adds the
 * credentials that its user typed for this site, and others of its own, to every request, and a command without a body needs no preflight; it never adds a
 * token by itself. Browsers name the origin of a request in `Sec-Fetch-Site` (W3C Fetch Metadata) over TLS and loopback, and in
 * `Origin` (RFC 6454) everywhere; a request with neither does not come from a browser. Where other pages have the same origin, the
 * key of a page has to come with the command, too (decision D-HTTP 30): `keys` are given then. Throws `CROSS_SITE`, or returns a promise
 * that rejects with it.
 */
export function refuseOtherPages(
  request: HttpRequest,
  user: KeyHolder,
  keys: PageKeys | undefined,
): Promise<void> | undefined {
  if (!isAmbient(request)) return undefined;
  if (!isSameSite(request)) {
    throw new AdminError("CROSS_SITE", "A page of another site may not send commands with a user's credentials");
  }
  return keys && refuseWithoutKey(request, user, keys);
}

async function refuseWithoutKey(request: HttpRequest, user: KeyHolder, keys: PageKeys): Promise<void> {
  if (!(await keys.isIn(request, user))) throw new AdminError("CROSS_SITE", NO_PAGE_KEY);
}

const NO_PAGE_KEY =
  "Only the console and the interactive page may send commands with a user's credentials; load the page again, over HTTPS and in a current browser";

function isSameSite(request: HttpRequest): boolean {
  const site = request.header("sec-fetch-site");
  if (site !== undefined) return site === "same-origin" || site === "none";
  // Of a host that serves HTTP/2, where no header Host has to come.
  const host = request.header("host") ?? request.header(":authority");
  return host !== undefined && hostHeaderOf(request.header("origin") ?? "null") === host;
}

/** Undefined for `null`, the origin of pages without one. */
function hostHeaderOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
