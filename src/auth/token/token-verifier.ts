import {
  type CryptoKey,
  decodeJwt,
  errors,
  type JWSHeaderParameters,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from "jose";
import type { Clock } from "../../core/clock.ts";
import { Quota } from "../../core/load/quota.ts";
import type { Principal } from "../../core/principal.ts";
import { NO_DELAY } from "../throttle/login-delays.ts";
import { type LoginAttempt, LoginQueue } from "../throttle/login-queue.ts";
import {
  type AuthorityMapping,
  authoritiesOf,
  type ClaimPath,
  hasAuthorities,
  permissionsOf,
} from "./authority-mapping.ts";
import type { KeyCache } from "./key-cache.ts";

/** A token is to be refused. The message is one of a few, for the log, and holds nothing of the token. */
export class InvalidTokenError extends Error {
  override readonly name = "InvalidTokenError";

  /** From an error of jose. Its messages are fixed texts, but that on extensions quotes the header. */
  static of(error: errors.JOSEError): InvalidTokenError {
    const reason = error.code === "ERR_JOSE_NOT_SUPPORTED" ? "it needs what is not supported" : error.message;
    return new InvalidTokenError(reason, { cause: error });
  }
}

/** Limit of tokens that wait for the check of their signature: one more would only take memory. */
export class TooManyTokensError extends Error {
  override readonly name = "TooManyTokensError";
}

export interface TokenRules {
  /** Undefined: any issuer whose tokens the keys verify. */
  readonly issuer: string | undefined;
  /** Empty: any audience. */
  readonly audiences: readonly string[];
  readonly algorithms: readonly string[];
  readonly principalClaim: string;
  readonly authoritiesPath: ClaimPath;
  readonly authorityMapping: AuthorityMapping;
  readonly clockSkewMs: number;
}

/** The sender of a token, for {@link LoginQueue}. */
export type Bearer = Pick<LoginAttempt, "origin" | "proven">;

export interface VerifiedToken {
  readonly principal: Principal;
  /** Until when, epoch milliseconds. */
  readonly until: number;
  readonly hasAuthorities: boolean;
}

/** Signatures that are checked at the same time (decision D-AUTH 13). */
const CHECKS_AT_A_TIME = 1;

/** Pause behind a wrong token while others wait. Signatures are checked on a thread of the same priority: on the last core stops wait for it. */
const REST_MS = 5;

/** Tokens that wait for their key, in all and of an origin: more than may wait for a check, as most keys are known. */
const MAX_WAITING_FOR_KEYS = 1_000;
const MAX_WAITING_FOR_KEYS_OF_ORIGIN = 128;

/** The latest date of ECMAScript, epoch milliseconds: nobody waits for an `exp` beyond it. */
const LATEST_MS = 8_640_000_000_000_000;

const TYP = /^(?:application\/)?(?:at\+)?jwt$/i;

/** Verifies tokens as an OAuth 2.0 resource server does (RFC 7519, RFC 8725, RFC 9068). */
export class TokenVerifier {
  readonly #rules: TokenRules;
  readonly #keys: KeyCache;
  readonly #checks: LoginQueue;
  readonly #waitingForKeys = new Quota(MAX_WAITING_FOR_KEYS, MAX_WAITING_FOR_KEYS_OF_ORIGIN);
  readonly #clock: Clock;
  readonly #options: JWTVerifyOptions;

  constructor(rules: TokenRules, keys: KeyCache, clock: Clock) {
    this.#rules = rules;
    this.#keys = keys;
    this.#checks = new LoginQueue(clock, CHECKS_AT_A_TIME);
    this.#clock = clock;
    this.#options = {
      algorithms: [...rules.algorithms],
      clockTolerance: rules.clockSkewMs / 1000,
      requiredClaims: ["exp"],
      ...(rules.issuer !== undefined && { issuer: rules.issuer }),
      ...(rules.audiences.length > 0 && { audience: [...rules.audiences] }),
    };
  }

  /**
   * @throws InvalidTokenError when the token is to be refused.
   * @throws IdentityProviderError when that cannot be decided.
   * @throws TooManyTokensError when too many wait for their key, or for the check of their signature.
   */
  async verify(token: string, bearer: Bearer): Promise<VerifiedToken> {
    const claims = await this.#claims(token, bearer);
    const { authoritiesPath, clockSkewMs } = this.#rules;
    const principal = this.#principal(claims);
    return {
      principal,
      until: principal.tokenExpires + clockSkewMs,
      hasAuthorities: hasAuthorities(claims, authoritiesPath),
    };
  }

  /** Whom a token says that it is for, whether it is right or not; empty if it does not say. */
  nameClaimed(token: string): string {
    try {
      return textClaim(decodeJwt(token), this.#rules.principalClaim) ?? "";
    } catch {
      return "";
    }
  }

  /** For the log: the authorities are missing where they should be, and where that is. */
  get authoritiesMissing(): string {
    const path = this.#rules.authoritiesPath;
    const names = path.map((name) => JSON.stringify(name)).join(", in it ");
    const advice = path.length > 1 ? '; a name that has dots itself is written in brackets and quotes, as ["a.b"]' : "";
    return `A bearer token is valid but grants no permission, as authoritiesClaim leads to no text or list in it: it asks for ${names}${advice}`;
  }

  async #claims(token: string, bearer: Bearer): Promise<JWTPayload> {
    const options = { ...this.#options };
    let hasPlace = false;
    let fitting: readonly CryptoKey[] = [];
    const keyAtTurn = async (header: JWSHeaderParameters): Promise<CryptoKey> => {
      // First: while the provider is asked for them, others are checked.
      fitting = await this.#keysFor(header, bearer);
      hasPlace = await this.#checks.enter({ ...NO_DELAY, ...bearer });
      if (!hasPlace) throw new TooManyTokensError();
      options.currentDate = new Date(this.#clock.now());
      const [first] = fitting;
      if (!first) throw new errors.JWKSNoMatchingKey();
      return first;
    };
    let isRight = false;
    try {
      const payload =
        (await signedPayload(token, keyAtTurn, options)) ?? (await payloadByOthers(token, fitting.slice(1), options));
      isRight = true;
      return payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) throw InvalidTokenError.of(error);
      throw error;
    } finally {
      if (hasPlace) this.#leave(isRight);
    }
  }

  #leave(isRight: boolean): void {
    if (isRight || !this.#checks.onlyUnprovenWait) this.#checks.leave();
    else this.#clock.schedule(REST_MS, () => this.#checks.leave());
  }

  /** The provider may take seconds to respond with a key: a limited number of tokens wait for it. */
  async #keysFor(header: JWSHeaderParameters, { origin, proven }: Bearer): ReturnType<KeyCache["find"]> {
    if (proven) return this.#keysOf(header);
    const waiting = this.#waitingForKeys;
    if (!waiting.hasRoom(origin)) throw new TooManyTokensError();
    waiting.take(origin);
    try {
      return await this.#keysOf(header);
    } finally {
      waiting.release(origin);
    }
  }

  /** Only `alg` and `kid` of the header take part in finding the key: `jwk`, `jku`, `x5u` and `x5c` are what an attacker says. */
  #keysOf({ alg, kid, typ, crit }: JWSHeaderParameters): ReturnType<KeyCache["find"]> {
    if (crit !== undefined) throw new InvalidTokenError("its header has critical extensions");
    if (!isAccessTokenType(typ)) throw new InvalidTokenError("its type is not that of an access token");
    return this.#keys.find({ ...(alg !== undefined && { alg }), ...(kid !== undefined && { kid }) });
  }

  #principal(claims: JWTPayload): Principal & Required<Pick<Principal, "tokenExpires">> {
    const { principalClaim, authoritiesPath, authorityMapping } = this.#rules;
    const name = textClaim(claims, principalClaim);
    if (name === undefined)
      throw new InvalidTokenError(`the claim "${principalClaim}" with the user's name is missing`);
    const tokenId = textClaim(claims, "jti");
    const clientId = textClaim(claims, "client_id") ?? textClaim(claims, "azp");
    return {
      name,
      permissions: permissionsOf(authoritiesOf(claims, authoritiesPath), authorityMapping),
      authentication: "bearer",
      tokenExpires: Math.min(Math.floor((claims.exp ?? 0) * 1000), LATEST_MS),
      ...(tokenId !== undefined && { tokenId }),
      ...(clientId !== undefined && { clientId }),
    };
  }
}

/** The claims of a token; undefined when another key has signed it. Throws an error of jose for anything else that is wrong. */
async function signedPayload(
  token: string,
  key: CryptoKey | JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<JWTPayload | undefined> {
  try {
    const verified =
      typeof key === "function" ? await jwtVerify(token, key, options) : await jwtVerify(token, key, options);
    return verified.payload;
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) return undefined;
    throw error;
  }
}

async function payloadByOthers(
  token: string,
  keys: readonly CryptoKey[],
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  for (const key of keys) {
    const payload = await signedPayload(token, key, options);
    if (payload) return payload;
  }
  throw new errors.JWSSignatureVerificationFailed();
}

/** The header is what its sender wrote: a `typ` that is not text must not fail when it is made one. */
function isAccessTokenType(typ: unknown): boolean {
  return typ === undefined || (typeof typ === "string" && TYP.test(typ));
}

function textClaim(claims: JWTPayload, name: string): string | undefined {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}
