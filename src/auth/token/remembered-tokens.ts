import type { Authentication } from "../authenticator.ts";

const CAPACITY = 10_000;

/** Tokens that were verified, by digest, each until it expires. When there are too many, the oldest is forgotten. */
export class RememberedTokens {
  readonly #tokens = new Map<string, { readonly authentication: Authentication; readonly until: number }>();

  get(digest: string, now: number): Authentication | undefined {
    const token = this.#tokens.get(digest);
    if (token === undefined || now < token.until) return token?.authentication;
    this.#tokens.delete(digest);
    return undefined;
  }

  remember(digest: string, authentication: Authentication, until: number): void {
    this.#tokens.set(digest, { authentication, until });
    const [oldest] = this.#tokens.keys();
    if (oldest !== undefined && this.#tokens.size > CAPACITY) this.#tokens.delete(oldest);
  }

  clear(): void {
    this.#tokens.clear();
  }
}
