import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { isAmbient } from "../../http/other-pages.ts";

/** Response headers that act beyond their own response: on the origin, its other pages or the connections to it. */
const ACT_ON_ORIGIN = new Set([
  "accept-ch",
  "alt-svc",
  "clear-site-data",
  // With the same value as our pages have, a window that the monitor's page opens would stay in its hands.
  "cross-origin-opener-policy",
  "nel",
  "public-key-pins",
  "report-to",
  "service-worker-allowed",
  "strict-transport-security",
]);

/**
 * Keeps our pages apart from those of the monitor while both have one origin (decision D-GATE 20): a browser would let the monitor's
 * scripts have what is the origin's.
 */
export class SharedOrigin {
  readonly #ownPaths: readonly string[];
  readonly #isOurs: (target: string) => boolean;

  constructor(ownPaths: readonly string[], isOurs: (target: string) => boolean) {
    this.#ownPaths = ownPaths;
    this.#isOurs = isOurs;
  }

  /** Whether a request is for the script of a service worker that could control paths of ours: those below its folder. */
  isWorkerOverUs({ headers, url = "/" }: IncomingMessage): boolean {
    if (headers["service-worker"] === undefined) return false;
    const path = url.replace(/^[a-z]+:\/\/[^/?#]*/i, "").replace(/[?#].*/s, "");
    const folder = path.slice(0, path.lastIndexOf("/") + 1).toLowerCase();
    return this.#ownPaths.some((own) => own.toLowerCase().startsWith(folder));
  }

  /** Takes from a request what the browser adds by itself, and what is for this gateway: the user's password. */
  takeCredentials({ headers }: IncomingMessage, outgoing: OutgoingHttpHeaders): void {
    if (isAmbient((name) => headers[name]?.toString())) delete outgoing.authorization;
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
