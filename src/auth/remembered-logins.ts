import type { Clock } from "../core/clock.ts";
import type { Authentication } from "./authenticator.ts";
import { RecentMap } from "./recent-map.ts";

const REMEMBERED_MS = 5 * 60 * 1000;
const CAPACITY = 10_000;

interface Remembered {
  readonly authentication: Authentication;
  readonly until: number;
}

/**
 * Credentials that were right, by digest, for five minutes each. When there are too many, the oldest is forgotten. That they
 * were right once is known for longer: such credentials are checked again, but they are no guess.
 */
export class RememberedLogins {
  readonly #clock: Clock;
  readonly #logins = new RecentMap<Remembered>(CAPACITY);
  readonly #proven = new RecentMap<true>(CAPACITY);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(digest: string): Authentication | undefined {
    const login = this.#logins.get(digest);
    if (login && this.#clock.now() <= login.until) return login.authentication;
    return undefined;
  }

  /** Whether these credentials were right when they were last checked. */
  wereRight(digest: string): boolean {
    return this.#proven.get(digest) ?? false;
  }

  remember(digest: string, authentication: Authentication): void {
    this.#logins.set(digest, { authentication, until: this.#clock.now() + REMEMBERED_MS });
    this.#proven.set(digest, true);
  }

  /** Takes back that these credentials were right. */
  forget(digest: string): void {
    this.#proven.delete(digest);
  }

  /** All credentials have to be checked again. */
  clear(): void {
    this.#logins.clear();
  }
}
