import { AdminError } from "../core/errors.ts";
import type { HttpRequest } from "./message.ts";

const BASIC = /^basic /i;

/** Looks up a header, its name in lower case, in the raw list, to join repeats and to avoid building an object of all headers. */
export function headerValue(rawHeaders: readonly string[], name: string): string | undefined {
  let value: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const candidate = rawHeaders[index] ?? "";
    if (candidate.length !== name.length || candidate.toLowerCase() !== name) continue;
    value = value === undefined ? rawHeaders[index + 1] : `${value}, ${rawHeaders[index + 1]}`;
  }
  return value;
}

/**
 * The fault of a `Host` that is there twice (decision D-HTTP 25): servers on the way could each choose another (RFC 9112 section 3.2).
 * `host` is its value, repeats joined by a comma, which no name of a host has.
 */
export function hostFault(host: string | undefined): AdminError | undefined {
  return host?.includes(",") ? new AdminError("BAD_REQUEST", "The header Host is there more than once") : undefined;
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
