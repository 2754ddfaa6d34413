import { isThenable } from "../core/values/basics.ts";
import type { Authentication, Authenticator, Caller } from "./authenticator.ts";

/**
 * Accepts what any of the authenticators accepts, asked in this order, for example tokens and HTTP Basic. Where none does, the
 * challenges of all are sent, and credentials that one of them knew and refused count as a failed login. While one of them cannot
 * decide, as its identity provider is out of reach, the others still accept.
 *
 * @example
 * firstOf(tokens.authenticator, basicAuthenticator({ realm: "monitor", verify }));
 */
export function firstOf(...authenticators: readonly Authenticator[]): Authenticator {
  if (authenticators.length === 0) throw new TypeError("firstOf needs at least one authenticator");
  return {
    authenticate: (authorization, caller) => new Search(authenticators, authorization, caller).from(0),
  };
}

/** One request's way through the authenticators; synchronous as long as they are. */
class Search {
  readonly #authenticators: readonly Authenticator[];
  readonly #authorization: string | undefined;
  readonly #caller: Caller | undefined;
  readonly #refusals: Authentication[] = [];
  readonly #failures: unknown[] = [];

  constructor(authenticators: readonly Authenticator[], authorization: string | undefined, caller: Caller | undefined) {
    this.#authenticators = authenticators;
    this.#authorization = authorization;
    this.#caller = caller;
  }

  from(index: number): Authentication | Promise<Authentication> {
    const authenticator = this.#authenticators[index];
    if (!authenticator) return this.#refusal();
    const found = this.#ask(authenticator);
    if (isThenable(found)) return found.then((result) => this.#next(result, index));
    return this.#next(found, index);
  }

  #next(found: Authentication | undefined, index: number): Authentication | Promise<Authentication> {
    if (found?.kind === "principal") return found;
    if (found) this.#refusals.push(found);
    return this.from(index + 1);
  }

  /** Undefined where it cannot be determined. */
  #ask(authenticator: Authenticator): Authentication | undefined | Promise<Authentication | undefined> {
    try {
      const found = authenticator.authenticate(this.#authorization, this.#caller);
      return isThenable(found) ? found.catch((error: unknown) => this.#failed(error)) : found;
    } catch (error) {
      return this.#failed(error);
    }
  }

  #failed(error: unknown): undefined {
    this.#failures.push(error);
  }

  #refusal(): Authentication {
    if (this.#failures.length > 0) throw this.#failures[0];
    const throttled = this.#refusals.find(({ kind }) => kind === "throttled");
    if (throttled) return throttled;
    const challenges = this.#refusals.filter((refusal) => refusal.kind === "challenge");
    const [closed] = this.#refusals;
    if (challenges.length === 0 && closed) return closed;
    const challenge = [...new Set(challenges.map((refusal) => refusal.challenge))].join(", ");
    const presented = challenges.find((refusal) => refusal.presented)?.presented;
    return { kind: "challenge", challenge, ...(presented && { presented }) };
  }
}
