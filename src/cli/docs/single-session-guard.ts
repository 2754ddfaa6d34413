import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { PAGE_KEY_HEADER, PAGE_KEY_NAME } from "../../core/conventions.ts";

/** The response to a request that does not come from the session's browser. */
export interface Rejection {
  readonly status: number;
  readonly reason: string;
}

const OPENING = "/open/";

/**
 * Lets in one browser of this machine: the one that opens an address which works once. That leaves a key in the browser's storage
 * for this origin, and the pages send it as a header with each request (decision D-PAGE 18). Everybody on the machine can reach a
 * loopback port, and so can every page that a browser shows; a cookie would go to every port of this address (RFC 6265, 8.5).
 */
export class SingleSessionGuard {
  readonly #secret = randomBytes(24).toString("base64url");
  readonly origin: string;
  /** The key of the visitor's pages. */
  readonly key = randomBytes(24).toString("base64url");
  #opened = false;

  constructor(origin: string) {
    this.origin = origin;
  }

  /** The address that works once. */
  get url(): string {
    return `${this.origin}${OPENING}${this.#secret}`;
  }

  /** Why a request cannot come from a page of this origin; undefined when it can. */
  refusal({ headers }: IncomingMessage): Rejection | undefined {
    const { host, origin, "sec-fetch-site": site = "none" } = headers;
    // Another's host name may resolve to this machine (DNS rebinding).
    if (`http://${host}` !== this.origin) return { status: 421, reason: `this page is at ${this.origin} only` };
    if ((origin ?? this.origin) !== this.origin || !["same-origin", "none"].includes(String(site))) {
      return { status: 403, reason: "pages of other sites may not come here" };
    }
    return undefined;
  }

  /** Response to a request for the single-use address; undefined for another address. */
  opening({ url = "" }: IncomingMessage): Rejection | "opens" | undefined {
    if (!url.startsWith(OPENING)) return undefined;
    if (!isSame(url.slice(OPENING.length), this.#secret)) {
      return { status: 403, reason: "this is not the address that was printed" };
    }
    if (this.#opened)
      return {
        status: 410,
        reason:
          "this address has been opened already: continue in the browser that opened it, or run the command again",
      };
    this.#opened = true;
    return "opens";
  }

  /** Whether a page of the visitor's browser sent a request. */
  knows({ headers }: IncomingMessage): boolean {
    return isSame(String(headers[PAGE_KEY_HEADER.toLowerCase()] ?? ""), this.key);
  }
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** A page of this program itself. */
interface OwnPage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The page that leaves the key in the browser's storage for this origin, then navigates to `path` without an entry in the history. */
export function openingPage(key: string, path: string): OwnPage {
  const nonce = randomBytes(16).toString("base64url");
  return {
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-store",
      "Content-Security-Policy": `default-src 'none'; script-src 'nonce-${nonce}'; base-uri 'none'; frame-ancestors 'none'`,
      "Cross-Origin-Opener-Policy": "same-origin",
      "Referrer-Policy": "no-referrer",
    },
    body: `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Trading administration</title>
  </head>
  <body>
    <p>This page needs JavaScript, and a browser that may store data for this address. Allow both and run the command again.</p>
    <script nonce="${nonce}">
      localStorage.setItem(${inScript(PAGE_KEY_NAME)}, ${inScript(key)});
      location.replace(${inScript(path)});
    </script>
  </body>
</html>
`,
  };
}

/** A text as a literal of a script within HTML. */
function inScript(text: string): string {
  return JSON.stringify(text).replaceAll("<", "\\u003c");
}
