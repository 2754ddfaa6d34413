import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from "jose";
import { onTestFinished } from "vitest";
import type { Authentication, Caller } from "../../../src/auth/authenticator.ts";
import { BearerAuthenticator } from "../../../src/auth/token/bearer.ts";
import { KeyCache } from "../../../src/auth/token/key-cache.ts";
import { type KeySet, readKeySet } from "../../../src/auth/token/key-set.ts";
import {
  openTokenAuthentication,
  type TokenAuthenticationOptions,
} from "../../../src/auth/token/token-authentication.ts";
import { TokenVerifier } from "../../../src/auth/token/token-verifier.ts";
import type { Clock } from "../../../src/core/clock.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { KeyServer } from "./key-server.ts";

/** A key pair of a provider. */
export interface SigningKey {
  readonly alg: string;
  readonly kid: string | undefined;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

export async function signingKey(kid: string | undefined, alg = "RS256"): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), ...(kid !== undefined && { kid }) };
  return { alg, kid, privateKey, jwk };
}

export const AUDIENCE = "trading-admin";
export const MISSING: Authentication = { kind: "challenge", challenge: "Bearer" };
export const INVALID: Authentication = {
  kind: "challenge",
  challenge: 'Bearer error="invalid_token"',
  presented: { user: null, authentication: "bearer" },
};

/** Claims and header parameters that differ from those of a good token; undefined leaves one out. */
export interface TokenChanges {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
}

/** A provider with one key, and token authentication that trusts it; the clock is held. */
export class TokenWorld {
  readonly key: SigningKey;
  readonly server: KeyServer;
  readonly clock = new ManualClock();
  readonly log: string[] = [];

  private constructor(key: SigningKey, server: KeyServer) {
    this.key = key;
    this.server = server;
    server.pages.set("/.well-known/openid-configuration", { issuer: server.origin, jwks_uri: `${server.origin}/keys` });
    this.publish(key);
  }

  static async start(key: SigningKey): Promise<TokenWorld> {
    return new TokenWorld(key, await KeyServer.start());
  }

  publish(...keys: readonly SigningKey[]): void {
    this.server.pages.set("/keys", { keys: keys.map(({ jwk }) => jwk) });
  }

  /** How often the provider was asked for its keys. */
  get fetches(): number {
    return this.server.requests.filter((path) => path === "/keys").length;
  }

  /** An authenticator that is closed after the test: issuer and audience are checked unless `options` say otherwise. */
  async open(
    options: Partial<TokenAuthenticationOptions> = {},
  ): Promise<(token: string, caller?: Caller) => Promise<Authentication>> {
    const warn = (message: string): void => void this.log.push(message);
    const authentication = await openTokenAuthentication({
      issuerUri: this.server.origin,
      audiences: [AUDIENCE],
      clock: this.clock,
      log: { info: () => {}, warn, error: warn },
      ...options,
    });
    onTestFinished(() => authentication.close());
    return async (token, caller) => authentication.authenticator.authenticate(`Bearer ${token}`, caller);
  }

  /** A token of user `alice` for five minutes. */
  token({ claims, header }: TokenChanges = {}, key = this.key): Promise<string> {
    const now = Math.floor(this.clock.now() / 1000);
    const standard = {
      iss: this.server.origin,
      aud: AUDIENCE,
      sub: "alice",
      authorities: [],
      iat: now,
      exp: now + 300,
    };
    const protectedHeader = withoutUndefined({ alg: key.alg, kid: key.kid, ...header });
    return new SignJWT(withoutUndefined({ ...standard, ...claims }))
      .setProtectedHeader(protectedHeader as unknown as JWTHeaderParameters)
      .sign(key.privateKey, { crit: Object.fromEntries(["exp", "urn:example:strict"].map((name) => [name, true])) });
  }
}

function withoutUndefined(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

/** An authenticator whose provider gives these keys, one set after the other: each has gone when the next has come. */
export async function withKeySets(
  clock: Clock,
  ...sets: readonly (readonly SigningKey[])[]
): Promise<{ readonly authenticator: BearerAuthenticator; readonly keys: KeyCache }> {
  const left = sets.map((set) => readKeySet({ keys: set.map(({ jwk }) => jwk) }));
  const load = async (): Promise<KeySet> => left.shift() as KeySet;
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const keys = await KeyCache.open({ load, lifetimeMs: 3_600_000, clock, log });
  onTestFinished(() => keys.close());
  const rules = {
    issuer: undefined,
    audiences: [],
    algorithms: ["RS256"],
    principalClaim: "sub",
    authoritiesPath: ["authorities"],
    authorityMapping: {},
    clockSkewMs: 0,
  };
  return { authenticator: new BearerAuthenticator(new TokenVerifier(rules, keys, clock), keys, clock, log), keys };
}
