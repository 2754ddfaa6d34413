import type { Authentication, Caller, PresentedCredentials } from "./authenticator.ts";
import type { Login } from "./guessing/login-delays.ts";

/** Requests that may wait for one check: each takes memory, and no client sends so many at a time. */
const MAX_CALLERS = 1_000;

/** A check of credentials that is under way. Requests of one origin with the same credentials share it. */
export class LoginCheck {
  readonly login: Login;
  readonly presented: PresentedCredentials;
  readonly #callers: (Caller | undefined)[] = [];

  constructor(login: Login, name: string) {
    this.login = login;
    this.presented = { user: name, authentication: "basic" };
  }

  /** Adds a caller; false when there are too many. */
  join(caller: Caller | undefined): boolean {
    if (this.#callers.length >= MAX_CALLERS) return false;
    this.#callers.push(caller);
    return true;
  }

  /** Whether all callers that wait for it have hung up. */
  get isAbandoned(): boolean {
    return this.#callers.every((caller) => caller?.hasLeft === true);
  }

  /** The response when the credentials are not checked. */
  get throttled(): Authentication {
    const reason =
      "Too many logins from this address fail or wait; these credentials were not checked. Try again in a few seconds";
    return { kind: "throttled", reason, presented: this.presented };
  }
}
