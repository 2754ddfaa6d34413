import type { Clock } from "../core/clock.ts";
import type { Principal } from "../core/principal.ts";
import type { Authentication } from "./authenticator.ts";
import { RecentMap } from "./recent-map.ts";

const REMEMBERED_MS = 5 * 60 * 1000;
const CAPACITY = 10_000;

interface Remembered {
  readonly authentication: Authentication;
  readonly until: number;
}

/** That a directory accepted credentials. */
export interface Acceptance {
  /** Of the user, as the directory spells it. */
  readonly name: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/**
 * Credentials that were right, by digest, for five minutes each. When there are too many, the oldest is forgotten. That they
 * were right once is known for longer: such credentials are checked again, but they are no guess.
 */
export class RememberedLogins {
  readonly #clock: Clock;
  readonly #logins = new RecentMap<Remembered>(CAPACITY);
  readonly #proven = new RecentMap<Acceptance>(CAPACITY);

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
    return this.acceptance(digest) !== undefined;
  }

  /** The last acceptance of these credentials, unless they were refused since. */
  acceptance(digest: string): Acceptance | undefined {
    return this.#proven.get(digest);
  }

  remember(digest: string, principal: Principal): Authentication {
    const authentication: Authentication = { kind: "principal", principal };
    const at = this.#clock.now();
    this.#logins.set(digest, { authentication, until: at + REMEMBERED_MS });
    this.#proven.set(digest, { name: principal.name, at });
    return authentication;
  }

  /** Takes back that these credentials were right. */
  forget(digest: string): void {
    this.#proven.delete(digest);
  }

  /** All credentials have to be checked again; those of users who are gone were never right. */
  clear(isGone: (name: string) => boolean): void {
    this.#logins.clear();
    this.#proven.deleteWhere(({ name }) => isGone(name));
  }
}
