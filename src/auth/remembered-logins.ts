import type { Clock } from "../core/clock.ts";
import type { Authentication } from "./authenticator.ts";

const REMEMBERED_MS = 5 * 60 * 1000;
const CAPACITY = 10_000;

/** Credentials that were right, by digest, for five minutes each. When there are too many, the oldest is forgotten. */
export class RememberedLogins {
  readonly #clock: Clock;
  /** In the order of their ends, since all are kept equally long. */
  readonly #logins = new Map<string, { readonly authentication: Authentication; readonly until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(digest: string): Authentication | undefined {
    const login = this.#logins.get(digest);
    if (login && this.#clock.now() <= login.until) return login.authentication;
    return undefined;
  }

  remember(digest: string, authentication: Authentication): void {
    this.#logins.delete(digest);
    this.#logins.set(digest, { authentication, until: this.#clock.now() + REMEMBERED_MS });
    const [oldest] = this.#logins.keys();
    if (oldest !== undefined && this.#logins.size > CAPACITY) this.#logins.delete(oldest);
  }

  clear(): void {
    this.#logins.clear();
  }
}
