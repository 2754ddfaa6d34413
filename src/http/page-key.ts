import { hash, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import { PAGE_KEY_HEADER } from "../core/conventions.ts";
import type { HttpRequest } from "./message.ts";

/** Credentials whose key is remembered. */
const CAPACITY = 1_000;

/** Takes 32 MiB and about 100 ms: who sees a key must not find the password by trying. */
const COST = { N: 32 * 1024, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };

/**
 * Keys of pages (decision D-HTTP 30). A key is derived from the credentials, so each gateway of an installation knows it, and it ends with the
 * password. The derivation is slow, and done once: its result is remembered by a digest of the credentials.
 */
export class PageKeys {
  readonly #secret = randomBytes(32).toString("base64");
  readonly #keys = new LRUCache<string, Promise<string>>({ max: CAPACITY });
  /** The latest derivation: one at a time, as threads that write files are the same. */
  #latest: Promise<unknown> = Promise.resolve();

  /**
   * The key of a page that a person has navigated to; undefined for a request of another kind. Only browsers set these headers (W3C Fetch
   * Metadata), and no script can: a script of the same origin that asks for the page gets it without its key.
   */
  async keyFor(request: HttpRequest): Promise<string | undefined> {
    const isNavigation =
      request.header("sec-fetch-mode") === "navigate" && request.header("sec-fetch-dest") === "document";
    return isNavigation ? await this.#keyOf(request) : undefined;
  }

  /** Whether a request has the key of a page that was served to these credentials. */
  async isIn(request: HttpRequest): Promise<boolean> {
    const given = Buffer.from(request.header(PAGE_KEY_HEADER.toLowerCase()) ?? "");
    const expected = Buffer.from(await this.#keyOf(request));
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  #keyOf(request: HttpRequest): Promise<string> {
    const credentials = request.header("authorization") ?? "";
    const digest = hash("sha256", this.#secret + credentials, "base64");
    const known = this.#keys.get(digest);
    if (known) return known;
    const derived = this.#latest.then(() => derive(credentials));
    this.#latest = derived.catch(() => this.#keys.delete(digest));
    this.#keys.set(digest, derived);
    return derived;
  }
}

function derive(credentials: string): Promise<string> {
  return new Promise((resolve, reject) => {
    scrypt(credentials, "key of a page", 32, COST, (error, key) => {
      if (error) reject(error);
      else resolve(key.toString("base64url"));
    });
  });
}
