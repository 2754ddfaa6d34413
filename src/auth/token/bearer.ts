import { hash, randomBytes } from "node:crypto";
import type { Clock } from "../../core/clock.ts";
import type { Authentication, Authenticator } from "../authenticator.ts";
import type { SecurityLog } from "../file-watch.ts";
import { readBearerToken } from "./bearer-token.ts";
import { InvalidTokenError } from "./invalid-token-error.ts";
import type { KeyCache } from "./key-cache.ts";
import type { KeySet } from "./key-set.ts";
import { RefusalLog } from "./refusal-log.ts";
import { RememberedTokens } from "./remembered-tokens.ts";
import type { TokenVerifier } from "./token-verifier.ts";

/** The answers of D-HTTP 2. Why a token is refused is for the log: the caller may be an attacker. */
const MISSING: Authentication = { kind: "challenge", challenge: "Bearer" };
const INVALID: Authentication = {
  kind: "challenge",
  challenge: 'Bearer error="invalid_token"',
  presented: { user: null, authentication: "bearer" },
};

/** Bearer tokens; a verified one is remembered by digest until it expires, and no longer than the keys that verified it. */
export class BearerAuthenticator implements Authenticator {
  readonly #verifier: TokenVerifier;
  readonly #keys: KeyCache;
  readonly #clock: Clock;
  readonly #refusals: RefusalLog;
  readonly #secret = randomBytes(32).toString("base64");
  readonly #remembered = new RememberedTokens();
  #rememberedFor: KeySet | undefined;

  constructor(verifier: TokenVerifier, keys: KeyCache, clock: Clock, log: SecurityLog) {
    this.#verifier = verifier;
    this.#keys = keys;
    this.#clock = clock;
    this.#refusals = new RefusalLog(log, clock);
  }

  authenticate(authorization: string | undefined): Authentication | Promise<Authentication> {
    const given = readBearerToken(authorization);
    if (given.kind === "absent") return MISSING;
    if (given.kind === "malformed") return this.#refuse("it is not one token of at most 16 KiB");
    const digest = hash("sha256", this.#secret + given.token, "binary");
    this.#forgetWithKeys();
    return this.#remembered.get(digest, this.#clock.now()) ?? this.#verify(digest, given.token);
  }

  async #verify(digest: string, token: string): Promise<Authentication> {
    const keys = this.#keys.keys;
    try {
      const { principal, until } = await this.#verifier.verify(token);
      const accepted: Authentication = { kind: "principal", principal };
      this.#forgetWithKeys();
      if (keys === this.#rememberedFor) this.#remembered.remember(digest, accepted, until);
      return accepted;
    } catch (error) {
      if (error instanceof InvalidTokenError) return this.#refuse(error.message);
      throw error;
    }
  }

  #refuse(reason: string): Authentication {
    this.#refusals.add(reason);
    return INVALID;
  }

  /** A key that was withdrawn, or has become too old, no longer vouches for the tokens it verified. */
  #forgetWithKeys(): void {
    const keys = this.#keys.keys;
    if (keys === this.#rememberedFor) return;
    this.#remembered.clear();
    this.#rememberedFor = keys;
  }
}
