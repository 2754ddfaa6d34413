import { createHmac, hash, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import { PAGE_KEY_HEADER } from "../core/conventions.ts";
import { RoundRobin } from "../core/load/round-robin.ts";
import { WaitingCallers } from "../core/load/waiting-callers.ts";
import { BoundedMap } from "../core/values/bounded-map.ts";
import type { HttpRequest } from "./message.ts";

/** Users whose keys are held. */
const CAPACITY = 1_000;

/** Of one user: a password has one key, but there may be many right passwords, as where bcrypt compares the first 72 bytes only. */
const KEYS_OF_USER = 4;

/** Takes 32 MiB and about 100 ms: who sees a key must not find the password by trying. */
const COST = { N: 32 * 1024, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };

export interface KeyHolder {
  readonly name: string;
  /** Whether the request has their password, and it was verified. */
  readonly isPasswordVerified: boolean;
}

/** A key that is being derived, or waits for that. */
interface Derivation {
  readonly callers: WaitingCallers;
  /** Undefined when all callers had gone before it began. */
  readonly key: Promise<string | undefined>;
}

/**
 * Keys of pages (decision D-HTTP 30). With HTTP Basic, a key is derived from the user and the password, so each gateway of an installation knows it,
 * and it ends with the password. The derivation is slow, and done once however the credentials are written. One is made at a time, as threads that
 * write files are the same, and users take turns: otherwise one user, who may have many right passwords, would keep all others waiting.
 */
export class PageKeys {
  readonly #derive: (credentials: string) => Promise<string>;
  readonly #secret = randomBytes(32).toString("base64");
  /** By user, and by digest of the credentials. */
  readonly #keys = new LRUCache<string, BoundedMap<string, string>>({ max: CAPACITY });
  /** By digest. */
  readonly #derivations = new Map<string, Derivation>();
  /** Derivations that wait for their turn, by user. */
  readonly #waiting = new RoundRobin<() => void>();
  #isDeriving = false;

  constructor(derive = slowHash) {
    this.#derive = derive;
  }

  /**
   * The key of a page that a user has navigated to; undefined for a request of another kind. Only browsers set these headers (W3C Fetch
   * Metadata), and no script can: a script of the same origin that asks for the page gets it without its key.
   */
  async keyFor(request: HttpRequest, user: KeyHolder): Promise<string | undefined> {
    const isNavigation =
      request.header("sec-fetch-mode") === "navigate" && request.header("sec-fetch-dest") === "document";
    return isNavigation ? await this.#keyOf(request, user, request) : undefined;
  }

  /** Whether a request has the key of a page that was served to this user with the same password. */
  async isIn(request: HttpRequest, user: KeyHolder): Promise<boolean> {
    const given = Buffer.from(request.header(PAGE_KEY_HEADER.toLowerCase()) ?? "");
    // A command is wanted although its caller has gone.
    const key = await this.#keyOf(request, user, undefined);
    if (key === undefined) return false;
    const expected = Buffer.from(key);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  #keyOf(
    request: HttpRequest,
    { name, isPasswordVerified }: KeyHolder,
    caller: HttpRequest | undefined,
  ): string | Promise<string | undefined> {
    const password = isPasswordVerified ? passwordIn(request.header("authorization")) : undefined;
    // A certificate or a ticket is in no header that scripts do not know: only this process knows the key then.
    if (password === undefined) return createHmac("sha256", this.#secret).update(name).digest("base64url");
    const credentials = `${name}:${password}`;
    const digest = hash("sha256", this.#secret + credentials, "base64");
    const known = this.#keys.get(name)?.get(digest);
    if (known !== undefined) return known;
    const inProgress = this.#derivations.get(digest);
    inProgress?.callers.add(caller);
    return inProgress?.key ?? this.#begin(name, digest, credentials, new WaitingCallers(caller));
  }

  #begin(user: string, digest: string, credentials: string, callers: WaitingCallers): Promise<string | undefined> {
    const key = this.#inTurn(user, async () => {
      if (callers.areGone) return undefined;
      const derived = await this.#derive(credentials);
      this.#remember(user, digest, derived);
      return derived;
    }).finally(() => this.#derivations.delete(digest));
    this.#derivations.set(digest, { callers, key });
    return key;
  }

  async #inTurn<T>(user: string, work: () => Promise<T>): Promise<T> {
    if (this.#isDeriving) await new Promise<void>((begin) => this.#waiting.push(user, begin));
    this.#isDeriving = true;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#isDeriving = false;
    }
  }

  #remember(user: string, digest: string, key: string): void {
    const keys = this.#keys.get(user) ?? new BoundedMap<string, string>(KEYS_OF_USER);
    keys.setNewest(digest, key);
    this.#keys.set(user, keys);
  }
}

/** The password of HTTP Basic (RFC 7617); undefined for other credentials. */
function passwordIn(authorization = ""): string | undefined {
  const [, base64] = /^basic +(\S+)$/i.exec(authorization) ?? [];
  if (base64 === undefined) return undefined;
  const text = Buffer.from(base64, "base64").toString();
  return text.slice(text.indexOf(":") + 1);
}

function slowHash(credentials: string): Promise<string> {
  return new Promise((resolve, reject) => {
    scrypt(credentials, "key of a page", 32, COST, (error, key) => {
      if (error) reject(error);
      else resolve(key.toString("base64url"));
    });
  });
}
