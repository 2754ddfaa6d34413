import { createHmac, hash, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import { PAGE_KEY_HEADER } from "../core/conventions.ts";
import type { HttpRequest } from "./message.ts";

const CAPACITY = 1_000;

/** Takes 32 MiB and about 100 ms: who sees a key must not find the password by trying. */
const COST = { N: 32 * 1024, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };

export interface KeyHolder {
  readonly name: string;
  /** Whether the request has their password, and it was verified. */
  readonly isPasswordVerified: boolean;
}

/**
 * Keys of pages (decision D-HTTP 30). With HTTP Basic, a key is derived from the user and the password, so each gateway of an installation knows it,
 * and it ends with the password. The derivation is slow, and done once however the credentials are written: otherwise one user, who may write them in
 * thousands of ways, would keep all others waiting for theirs.
 */
export class PageKeys {
  readonly #secret = randomBytes(32).toString("base64");
  readonly #keys = new LRUCache<string, Promise<string>>({ max: CAPACITY });
  /** The latest derivation: one at a time, as threads that write files are the same. */
  #latest: Promise<unknown> = Promise.resolve();

  /**
   * The key of a page that a user has navigated to; undefined for a request of another kind. Only browsers set these headers (W3C Fetch
   * Metadata), and no script can: a script of the same origin that asks for the page gets it without its key.
   */
  async keyFor(request: HttpRequest, user: KeyHolder): Promise<string | undefined> {
    const isNavigation =
      request.header("sec-fetch-mode") === "navigate" && request.header("sec-fetch-dest") === "document";
    return isNavigation ? await this.#keyOf(request, user) : undefined;
  }

  /** Whether a request has the key of a page that was served to this user with the same password. */
  async isIn(request: HttpRequest, user: KeyHolder): Promise<boolean> {
    const given = Buffer.from(request.header(PAGE_KEY_HEADER.toLowerCase()) ?? "");
    const expected = Buffer.from(await this.#keyOf(request, user));
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  #keyOf(request: HttpRequest, { name, isPasswordVerified }: KeyHolder): string | Promise<string> {
    const password = isPasswordVerified ? passwordIn(request.header("authorization")) : undefined;
    // A certificate or a ticket is in no header that scripts do not know: only this process knows the key then.
    if (password === undefined) return createHmac("sha256", this.#secret).update(name).digest("base64url");
    const credentials = `${name}:${password}`;
    const digest = hash("sha256", this.#secret + credentials, "base64");
    const known = this.#keys.get(digest);
    if (known) return known;
    const derived = this.#latest.then(() => derive(credentials));
    this.#latest = derived.catch(() => this.#keys.delete(digest));
    this.#keys.set(digest, derived);
    return derived;
  }
}

/** The password of HTTP Basic (RFC 7617); undefined for other credentials. */
function passwordIn(authorization = ""): string | undefined {
  const [, base64] = /^basic +(\S+)$/i.exec(authorization) ?? [];
  if (base64 === undefined) return undefined;
  const text = Buffer.from(base64, "base64").toString();
  return text.slice(text.indexOf(":") + 1);
}

function derive(credentials: string): Promise<string> {
  return new Promise((resolve, reject) => {
    scrypt(credentials, "key of a page", 32, COST, (error, key) => {
      if (error) reject(error);
      else resolve(key.toString("base64url"));
    });
  });
}
