import { type CryptoKey, errors, type JWSHeaderParameters } from "jose";
import { LRUCache } from "lru-cache";
import type { Clock } from "../../core/clock.ts";
import type { Logger } from "../../core/logger.ts";
import { messageOf } from "../../core/values/basics.ts";
import { IdentityProviderError } from "./fetch-json.ts";
import type { KeySet } from "./key-set.ts";

/** Where keys come from, and how long they may be used without news of them. */
export interface KeyCacheOptions {
  /** Asks the provider; rejects when it does not give its keys. */
  readonly load: () => Promise<KeySet>;
  /** How long keys stay valid after the last response of the provider, in milliseconds. */
  readonly lifetimeMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface KeySetState {
  /** When the provider last gave its keys, epoch milliseconds; undefined: never. */
  readonly fetchedAt: number | undefined;
  /** Until when they are valid if it gives none, epoch milliseconds; undefined: there are none. */
  readonly validUntil: number | undefined;
  /** Whether the provider did not respond to the last request. */
  readonly stale: boolean;
}

const REFRESH_MS = 5 * 60 * 1000;
const RETRY_MS = 30_000;
/** An unknown key id makes the provider be asked at most this often, whichever caller sends such tokens. */
const COOLDOWN_OF_KEY_MS = 30_000;
/** All of them do together: who invents one must not keep a new key unknown for long. */
const COOLDOWN_MS = 5_000;
/** More than are asked for within the cooldown of one. */
const ASKED_KEPT = 100;
/** As often is it asked while no keys are known and callers wait for them. */
const NEED_MS = 1000;

/**
 * Keys of an identity provider that survive the provider: fetched again every five minutes in the background, so that no
 * request waits, and valid for a bounded time when it is unreachable (decision D-AUTH 12).
 */
export class KeyCache {
  readonly #options: KeyCacheOptions;
  #keys: KeySet | undefined;
  #validUntil = 0;
  #fetchedAt: number | undefined;
  #requestedAt = Number.NEGATIVE_INFINITY;
  /** When an unknown key was last the reason to ask; and that by its id. */
  #askedForKey = Number.NEGATIVE_INFINITY;
  readonly #askedFor = new LRUCache<string, number>({ max: ASKED_KEPT });
  #inProgress: Promise<void> | undefined;
  #failure: unknown;
  #reported: "stale" | "missing" | undefined;
  #cancel: () => void = () => {};
  #closed = false;

  private constructor(options: KeyCacheOptions) {
    this.#options = options;
  }

  /** Asks the provider for the first time. That it is unreachable is not an error: it is asked again, and when keys are needed. */
  static async open(options: KeyCacheOptions): Promise<KeyCache> {
    const cache = new KeyCache(options);
    await cache.#ask(0);
    return cache;
  }

  /** The active keys, the same object until they change; undefined when there are none or they are too old. */
  get keys(): KeySet | undefined {
    return this.#options.clock.now() < this.#validUntil ? this.#keys : undefined;
  }

  /** How old the keys are, whether they are still valid or not. */
  get state(): KeySetState {
    const fetchedAt = this.#fetchedAt;
    const validUntil = fetchedAt === undefined ? undefined : this.#validUntil;
    return { fetchedAt, validUntil, stale: this.#failure !== undefined };
  }

  /**
   * The keys that fit the header of a token.
   *
   * @throws JOSEError when the provider has none.
   * @throws IdentityProviderError when that cannot be decided, because the provider does not respond.
   */
  async find(header: JWSHeaderParameters): Promise<readonly CryptoKey[]> {
    if (this.keys === undefined) await this.#ask(NEED_MS);
    const keys = this.#inForce();
    try {
      return await keys.find(header);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await this.#askForKey(header.kid ?? "");
      if (this.#failure !== undefined) throw this.#unavailable();
      if (this.keys === keys) throw error;
      return this.#inForce().find(header);
    }
  }

  close(): void {
    this.#closed = true;
    this.#cancel();
  }

  #inForce(): KeySet {
    const keys = this.keys;
    if (keys === undefined) throw this.#unavailable();
    return keys;
  }

  #unavailable(): IdentityProviderError {
    const reason = this.#failure instanceof Error ? this.#failure.message : "it was not asked";
    const message = `A token cannot be checked, as the keys of the identity provider are not known: ${reason}`;
    return new IdentityProviderError(message, { cause: this.#failure });
  }

  /**
   * Asks unless that was done less than `pauseMs` ago; all callers in the meantime share one request. Never rejects. The distance
   * counts, as the machine's clock may be set back.
   */
  #ask(pauseMs: number): Promise<void> {
    const distance = Math.abs(this.#options.clock.now() - this.#requestedAt);
    if (this.#closed || distance < pauseMs) return this.#inProgress ?? Promise.resolve();
    this.#inProgress ??= this.#load().finally(() => {
      this.#inProgress = undefined;
    });
    return this.#inProgress;
  }

  /** Asks for a key that is not known: it may be new, or the provider away. */
  #askForKey(kid: string): Promise<void> {
    const now = this.#options.clock.now();
    const isAsked = Math.abs(now - (this.#askedFor.get(kid) ?? Number.NEGATIVE_INFINITY)) < COOLDOWN_OF_KEY_MS;
    if (isAsked || Math.abs(now - this.#askedForKey) < COOLDOWN_MS) return this.#inProgress ?? Promise.resolve();
    // A request in progress may have been answered before the key was new.
    if (!this.#inProgress) {
      this.#askedForKey = now;
      this.#askedFor.set(kid, now);
    }
    return this.#ask(0);
  }

  async #load(): Promise<void> {
    const { load, lifetimeMs, clock } = this.#options;
    this.#cancel();
    this.#requestedAt = clock.now();
    try {
      const keys = await load();
      this.#failure = undefined;
      this.#put(keys);
    } catch (error) {
      this.#failure = error;
    }
    if (this.#closed) return;
    this.#report();
    const pause = this.#failure === undefined ? Math.min(REFRESH_MS, lifetimeMs / 2) : RETRY_MS;
    this.#cancel = clock.schedule(pause, () => void this.#ask(0));
  }

  #put(keys: KeySet): void {
    const { lifetimeMs, log } = this.#options;
    if (keys.text !== this.keys?.text) {
      this.#keys = keys;
      for (const warning of keys.warnings) log.warn(`Keys of the identity provider: ${warning}`);
    }
    this.#fetchedAt = this.#requestedAt;
    this.#validUntil = this.#requestedAt + lifetimeMs;
  }

  /** Logs once when the provider stops responding, once when its keys have become too old, once when it is back. */
  #report(): void {
    const { log } = this.#options;
    const state = this.#failure === undefined ? undefined : this.keys === undefined ? "missing" : "stale";
    if (state === this.#reported) return;
    this.#reported = state;
    const reason = messageOf(this.#failure);
    const until = new Date(this.#validUntil).toISOString();
    if (state === undefined) log.warn("The identity provider responds again, its keys are up to date");
    else if (state === "stale") log.warn(`${reason}. Keys known before stay valid until ${until}`);
    else
      log.error(`${reason}. No valid keys are known, so tokens cannot be checked and all callers with tokens get 500`);
  }
}
