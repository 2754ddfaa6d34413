import { LRUCache } from "lru-cache";
import type { Authentication } from "../authenticator.ts";

const CAPACITY = 10_000;

/** Tokens that were verified, by digest, each until it expires. When there are too many, those that were used longest ago are forgotten. */
export class RememberedTokens {
  readonly #tokens = new LRUCache<string, { readonly authentication: Authentication; readonly until: number }>({
    max: CAPACITY,
  });

  get(digest: string, now: number): Authentication | undefined {
    const token = this.#tokens.get(digest);
    if (token === undefined || now < token.until) return token?.authentication;
    this.#tokens.delete(digest);
    return undefined;
  }

  remember(digest: string, authentication: Authentication, until: number): void {
    this.#tokens.set(digest, { authentication, until });
  }

  clear(): void {
    this.#tokens.clear();
  }
}
