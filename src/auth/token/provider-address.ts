import { isLoopback } from "../../core/loopback.ts";

/**
 * Reads the address of an identity provider: `https`, or `http` on this machine only, since anyone who can change the response on
 * its way can issue tokens. No user, password or fragment.
 *
 * @throws TypeError that names `what` and the fault.
 */
export function providerAddress(what: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw new TypeError(`${what} is not a URL`);
  if (url.username || url.password || url.hash) {
    throw new TypeError(`${what} must not hold a user, a password or a fragment`);
  }
  if (!isTrusted(url)) {
    throw new TypeError(`${what} must begin with https:// (http:// only on this machine), is ${shownAddress(url)}`);
  }
  return url;
}

/** An address for messages: without its query. */
export function shownAddress(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

function isTrusted({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname.replace(/^\[|\]$/g, "")));
}
