import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** What is said to a request that is not the visitor's. */
export interface TurnedAway {
  readonly status: number;
  readonly reason: string;
}

const OPENING = "/open/";

/**
 * Lets in one browser of this machine: the one that opens an address which works once, and is known by a cookie from then on.
 * Everybody on the machine can reach a loopback port, and so can every page that a browser shows.
 */
export class OneVisitor {
  readonly #secret = randomBytes(24).toString("base64url");
  readonly #session = randomBytes(24).toString("base64url");
  readonly #port: number;
  #opened = false;

  constructor(port: number) {
    this.#port = port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The address that works once. */
  get url(): string {
    return `${this.origin}${OPENING}${this.#secret}`;
  }

  /** Cookies are of all ports of a host, so the name has the port. */
  get cookie(): string {
    return `${this.#cookieName}=${this.#session}; HttpOnly; SameSite=Strict; Path=/`;
  }

  get #cookieName(): string {
    return `trading-admin-docs-${this.#port}`;
  }

  /** Why a request is not the visitor's; undefined when it is. `opens` when it asks for the address that works once. */
  check(request: IncomingMessage): TurnedAway | "opens" | undefined {
    const { host, origin, "sec-fetch-site": site = "none" } = request.headers;
    // Another's host name may resolve to this machine (DNS rebinding).
    if (`http://${host}` !== this.origin) return { status: 421, reason: `this page is at ${this.origin} only` };
    if ((origin ?? this.origin) !== this.origin || !["same-origin", "none"].includes(String(site))) {
      return { status: 403, reason: "pages of other sites may not come here" };
    }
    const path = request.url ?? "";
    if (path.startsWith(OPENING)) return this.#open(path.slice(OPENING.length));
    return this.#isKnown(request) ? undefined : { status: 403, reason: "open the address that was printed" };
  }

  #open(secret: string): TurnedAway | "opens" {
    if (!isSame(secret, this.#secret)) return { status: 403, reason: "this is not the address that was printed" };
    if (this.#opened) return { status: 410, reason: "this address worked once; run the command again" };
    this.#opened = true;
    return "opens";
  }

  #isKnown({ headers }: IncomingMessage): boolean {
    const cookies = (headers.cookie ?? "").split(/;\s*/).map((pair) => pair.split("="));
    return cookies.some(([name, value = ""]) => name === this.#cookieName && isSame(value, this.#session));
  }
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
