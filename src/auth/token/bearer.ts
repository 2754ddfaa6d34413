import { hash, randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Clock } from "../../core/clock.ts";
import { AdminError } from "../../core/errors.ts";
import { WaitingCallers } from "../../core/load/waiting-callers.ts";
import { type Logger, Repeats } from "../../core/logger.ts";
import { networkOrigin } from "../../core/network.ts";
import type { Authentication, Authenticator, Caller } from "../authenticator.ts";
import { type HeldLogin, HeldLogins } from "../throttle/held-logins.ts";
import { IdentityProviderError } from "./fetch-json.ts";
import type { KeyCache } from "./key-cache.ts";
import type { KeySet } from "./key-set.ts";
import {
  type Bearer,
  InvalidTokenError,
  type TokenVerifier,
  TooManyTokensError,
  type VerifiedToken,
} from "./token-verifier.ts";

/** The responses of decision D-HTTP 11. Why a token is refused is for the log: the caller may be an attacker. */
const MISSING: Authentication = { kind: "challenge", challenge: "Bearer" };
const presented = { user: null, authentication: "bearer" } as const;
const INVALID: Authentication = { kind: "challenge", challenge: 'Bearer error="invalid_token"', presented };
const THROTTLED: Authentication = {
  kind: "throttled",
  reason:
    "Too many tokens from this address wait to be checked, so this one was not accepted; it may be right. Try again in a few seconds",
  presented,
};

/** Between two lines of the log with the same sentence. */
const PAUSE_MS = 60_000;

/**
 * Bearer tokens. A verified one is remembered by digest until it expires, and no longer than the keys that verified it. Concurrent
 * requests of one origin with the same new token share one check.
 */
export class BearerAuthenticator implements Authenticator {
  readonly #verifier: TokenVerifier;
  readonly #keys: KeyCache;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #repeats: Repeats;
  readonly #secret = randomBytes(32).toString("base64");
  readonly #remembered = new RememberedTokens();
  readonly #held: HeldLogins;
  /** Users of whom a token was verified. */
  readonly #users = new LRUCache<string, true>({ max: CAPACITY });
  /** By digest and origin. */
  readonly #inProgress = new Map<
    string,
    { readonly callers: WaitingCallers; readonly result: Promise<Authentication> }
  >();

  constructor(verifier: TokenVerifier, keys: KeyCache, clock: Clock, log: Logger) {
    this.#verifier = verifier;
    this.#keys = keys;
    this.#clock = clock;
    // A signature cannot be guessed, so users may have a turn whenever one is free.
    this.#held = new HeldLogins(clock, 0);
    this.#log = log;
    this.#repeats = new Repeats(clock, PAUSE_MS);
  }

  authenticate(authorization: string | undefined, caller?: Caller): Authentication | Promise<Authentication> {
    const given = readBearerToken(authorization);
    if (given.kind === "absent") return MISSING;
    if (given.kind === "malformed") return this.#refuse("it is not one token of at most 16 KiB");
    const digest = hash("sha256", this.#secret + given.token, "binary");
    const known = this.#remembered.get(digest, this.#clock.now());
    if (known !== undefined && known.keys === this.#keys.keys) return known.authentication;
    const proven = known !== undefined;
    return this.#shared({ digest, token: given.token, origin: originOf(caller), proven }, caller);
  }

  #shared(check: Omit<TokenCheck, "callers">, caller: Caller | undefined): Promise<Authentication> {
    const key = check.digest + check.origin;
    const inProgress = this.#inProgress.get(key);
    inProgress?.callers.add(caller);
    return inProgress?.result ?? this.#begin(key, { ...check, callers: new WaitingCallers(caller) });
  }

  #begin(key: string, check: TokenCheck): Promise<Authentication> {
    const result = this.#verify(check).finally(() => this.#inProgress.delete(key));
    this.#inProgress.set(key, { callers: check.callers, result });
    return result;
  }

  /** Starts over when the keys changed meanwhile: a key that was withdrawn, or has become too old, verifies nothing. */
  async #verify(check: TokenCheck): Promise<Authentication> {
    try {
      for (;;) {
        const { keys } = this.#keys;
        const verified = await this.#verifier.verify(check.token, check);
        if (keys !== undefined && keys === this.#keys.keys) return this.#accept(check.digest, verified, keys);
      }
    } catch (error) {
      if (error instanceof InvalidTokenError) return this.#refuse(error.message);
      if (error instanceof TooManyTokensError) return this.#held.hold(THROTTLED, this.#heldLogin(check));
      throw error instanceof IdentityProviderError ? this.#unchecked(error) : error;
    }
  }

  /** A token without a place. Whom it is for is what it says: others can say that, too, but have to know whom they name. */
  #heldLogin(check: TokenCheck): HeldLogin {
    const user = keyOf(this.#verifier.nameClaimed(check.token));
    const { callers } = check;
    return { user, exists: this.#users.has(user), callers, check: () => this.#verify({ ...check, proven: true }) };
  }

  #accept(digest: string, { principal, until, hasAuthorities }: VerifiedToken, keys: KeySet): Authentication {
    if (!hasAuthorities) this.#warn(this.#verifier.authoritiesMissing);
    const authentication: Authentication = { kind: "principal", principal };
    this.#remembered.remember(digest, { authentication, until, keys });
    this.#users.set(keyOf(principal.name), true);
    return authentication;
  }

  /** The error for a token that can be neither accepted nor refused (D-HTTP 10). The cause is for the log. */
  #unchecked(cause: IdentityProviderError): AdminError {
    // Without any valid key this is in the log already.
    if (this.#keys.keys !== undefined) this.#warn("A bearer token has a key that is not known. ", cause.message);
    const message = "The token cannot be checked, as the identity provider does not respond; it may be valid";
    return new AdminError("IDENTITY_PROVIDER_UNAVAILABLE", message, { cause });
  }

  /** Logs what is wrong with tokens, since callers do not learn it: at most one line a minute for each cause. */
  #warn(sentence: string, cause = ""): void {
    if (this.#repeats.isDue(sentence, cause)) this.#log.warn(`${sentence}${cause}`);
  }

  #refuse(reason: string): Authentication {
    this.#warn("A bearer token was refused: ", reason);
    return INVALID;
  }
}

/** A token that is to be checked, and who waits for that. */
interface TokenCheck extends Bearer {
  readonly digest: string;
  readonly token: string;
  readonly callers: WaitingCallers;
}

/** The queue of a token's check: each address has one for its stops and one for everything else. */
function originOf(caller: Caller | undefined): string {
  const origin = networkOrigin(caller?.address);
  return caller?.isStop ? `${origin}, stops` : origin;
}

/** A name may be as long as a token. */
function keyOf(name: string): string {
  return hash("sha256", name, "base64url");
}

/** Content of an `Authorization` header for a server that expects a bearer token. */
type BearerToken =
  | { readonly kind: "token"; readonly token: string }
  /** No header, another scheme (decision D-AUTH 4), or the scheme alone. */
  | { readonly kind: "absent" }
  /** Something was sent that is not a token: two of them, parameters, too long. */
  | { readonly kind: "malformed" };

/** Longest token that is looked at, in characters. */
const MAX_TOKEN_LENGTH = 16 * 1024;

const SCHEME = /^bearer(?: |$)/i;
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/** Reads an `Authorization` header of the Bearer scheme (RFC 6750 section 2.1); the scheme may be in any case. */
function readBearerToken(authorization: string | undefined): BearerToken {
  if (authorization === undefined || !SCHEME.test(authorization)) return { kind: "absent" };
  const token = authorization.slice("Bearer".length).trim();
  if (token === "") return { kind: "absent" };
  if (token.length > MAX_TOKEN_LENGTH || !TOKEN.test(token)) return { kind: "malformed" };
  return { kind: "token", token };
}

const CAPACITY = 10_000;

interface RememberedToken {
  readonly authentication: Authentication;
  /** Epoch milliseconds. */
  readonly until: number;
  readonly keys: KeySet;
}

/** Tokens that were verified, by digest, each until it expires. When there are too many, those that were used longest ago are forgotten. */
export class RememberedTokens {
  readonly #tokens = new LRUCache<string, RememberedToken>({ max: CAPACITY });

  get(digest: string, now: number): RememberedToken | undefined {
    const token = this.#tokens.get(digest);
    if (token === undefined || now < token.until) return token;
    this.#tokens.delete(digest);
    return undefined;
  }

  remember(digest: string, token: RememberedToken): void {
    this.#tokens.set(digest, token);
  }
}
