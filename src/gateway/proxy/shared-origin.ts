import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { isOfBrowser } from "../../http/other-pages.ts";

/** Response headers that act beyond their own response: on the origin, its other pages or the connections to it. */
const ACT_ON_ORIGIN = new Set([
  "accept-ch",
  "alt-svc",
  "clear-site-data",
  // With the same value as our pages have, a window that the monitor's page opens would stay in its hands.
  "cross-origin-opener-policy",
  "expect-ct",
  "nel",
  "public-key-pins",
  "report-to",
  "reporting-endpoints",
  "sec-session-challenge",
  "sec-session-registration",
  "secure-session-challenge",
  "secure-session-registration",
  "service-worker-allowed",
  "strict-transport-security",
]);

/** What a browser uploads below its pages, in some versions with the password and without a word that it is a browser. */
const REPORT = /^application\/(?:reports\+json|csp-report|expect-ct-report\+json)\b/i;

/**
 * Keeps our pages apart from those of the monitor while both have one origin (decision D-GATE 20): a browser would let the monitor's
 * scripts have what is the origin's.
 */
export class SharedOrigin {
  readonly #isOurs: (target: string) => boolean;

  constructor(isOurs: (target: string) => boolean) {
    this.#isOurs = isOurs;
  }

  /**
   * Whether a request is for the script of a service worker. One that controls no path of ours can still make responses that do not pass
   * here, with a `Cross-Origin-Opener-Policy` as our pages have.
   */
  isForWorker({ headers }: IncomingMessage): boolean {
    return headers["service-worker"] !== undefined;
  }

  /** Takes from a request what the browser adds by itself, and what is for this gateway: the user's password. */
  takeCredentials({ headers }: IncomingMessage, outgoing: OutgoingHttpHeaders): void {
    const isBasic = /^basic /i.test(headers.authorization ?? "");
    const isReport = REPORT.test(headers["content-type"] ?? "");
    if (isBasic && (isReport || isOfBrowser((name) => headers[name]?.toString()))) delete outgoing.authorization;
  }

  /** Whether a header of a response of the monitor is passed on; its name is in lower case. */
  passes(name: string, value: string): boolean {
    if (name === "set-cookie") return !this.#isOurs(cookiePath(value));
    return !ACT_ON_ORIGIN.has(name);
  }
}

/** The last `Path` of a cookie counts (RFC 6265 section 5.3). */
function cookiePath(cookie: string): string {
  const paths = [...cookie.matchAll(/;\s*path\s*=\s*([^;]*)/gi)];
  return paths.at(-1)?.[1]?.trim() ?? "/";
}
