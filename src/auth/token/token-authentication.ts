import { type Clock, systemClock } from "../../core/clock.ts";
import { JWS_ALGORITHMS } from "../../core/conventions.ts";
import { harmlessLog } from "../../core/host-calls.ts";
import type { Logger } from "../../core/logger.ts";
import {
  CLOCK,
  ifGiven,
  LOGGER,
  listLike,
  MS,
  OBJECT,
  optionsOf,
  restrictionLike,
  SOME_MS,
  textLike,
} from "../../core/options.ts";
import type { Authenticator } from "../authenticator.ts";
import { type AuthorityMapping, checkAuthorityMapping, parseClaimPath } from "./authority-mapping.ts";
import type { KeySetState } from "./key-cache.ts";
import type { TokenRules } from "./token-verifier.ts";

/** Which tokens are accepted, and what they mean. */
export interface TokenAuthenticationOptions {
  /** Issuer that tokens must name; its keys are found by discovery unless `jwkSetUri` is given. */
  readonly issuerUri?: string | undefined;
  /** Address of the key set. Without `issuerUri` the issuer of tokens is not checked. */
  readonly jwkSetUri?: string | undefined;
  /** A token must be for one of these; none: for any. */
  readonly audiences?: readonly string[] | undefined;
  /** JWS algorithms, asymmetric ones only; RS256 unless given. */
  readonly algorithms?: readonly string[] | undefined;
  /** Claim with the user's name; `sub` unless given. */
  readonly principalClaim?: string | undefined;
  /** Path to the authorities; `authorities` unless given. */
  readonly authoritiesClaim?: string | undefined;
  /** Roles to permissions; unless given, authorities are names of permissions. */
  readonly authorityMapping?: AuthorityMapping | undefined;
  /** How far the clocks of provider and gateway may be apart, in milliseconds; 60 s unless given. */
  readonly clockSkewMs?: number | undefined;
  /** How long known keys stay valid while the provider is unreachable, in milliseconds; 12 h unless given. */
  readonly keyLifetimeMs?: number | undefined;
  /** Where an unreachable provider and refused keys are written; `console` fits. */
  readonly log: Logger;
  /** Source of time; the machine's own unless given, `ManualClock` of the testing entry in tests. */
  readonly clock?: Clock;
}

const checked = optionsOf<TokenAuthenticationOptions>("openTokenAuthentication", {
  issuerUri: ifGiven(textLike('"https://login.example.com/realms/trading"')),
  jwkSetUri: ifGiven(textLike('"https://login.example.com/certs"')),
  audiences: ifGiven(restrictionLike('["trading-admin"]')),
  algorithms: ifGiven(listLike('["RS256"]')),
  principalClaim: ifGiven(textLike('"sub"')),
  authoritiesClaim: ifGiven(textLike('"authorities"')),
  authorityMapping: ifGiven(OBJECT),
  clockSkewMs: ifGiven(MS),
  keyLifetimeMs: ifGiven(SOME_MS),
  log: LOGGER,
  clock: ifGiven(CLOCK),
});

/** Bearer tokens of an identity provider. */
export interface TokenAuthentication {
  /** For `adminHandler` and `adminMiddleware`. */
  readonly authenticator: Authenticator;
  /** How old the provider's keys are. */
  keySet(): KeySetState;
  /** Stops asking the provider for its keys. */
  close(): void;
}

const SECOND = 1000;
const HOUR = 3600 * SECOND;

/**
 * Sets up the mechanism PROVIDER (specification, "Authentication" 2 and 4): JWTs are validated as by an OAuth 2.0 resource
 * server. The provider is asked for its keys before this resolves; when it is unreachable, the log says so and it is asked
 * again.
 *
 * @throws TypeError for options that cannot be used.
 *
 * @example
 * const { authenticator } = await openTokenAuthentication({
 *   issuerUri: "https://login.example.com/realms/trading",
 *   audiences: ["trading-admin"],
 *   log: console,
 * });
 */
export async function openTokenAuthentication(options: TokenAuthenticationOptions): Promise<TokenAuthentication> {
  const { clock = systemClock } = checked(options);
  const log = harmlessLog(options.log);
  const rules = tokenRules(options);
  // Who has another mechanism needs no JWT library.
  const [{ BearerAuthenticator }, { KeyCache }, { keySource }, { TokenVerifier }] = await Promise.all([
    import("./bearer.ts"),
    import("./key-cache.ts"),
    import("./key-source.ts"),
    import("./token-verifier.ts"),
  ]);
  const closing = new AbortController();
  const load = keySource(options.issuerUri, options.jwkSetUri, closing.signal);
  const lifetimeMs = options.keyLifetimeMs ?? 12 * HOUR;
  const keys = await KeyCache.open({ load, lifetimeMs, clock, log });
  return {
    authenticator: new BearerAuthenticator(new TokenVerifier(rules, keys, clock), keys, clock, log),
    keySet: () => keys.state,
    close() {
      keys.close();
      closing.abort();
    },
  };
}

function tokenRules(options: TokenAuthenticationOptions): TokenRules {
  const { authorityMapping = {}, algorithms = ["RS256"] } = options;
  checkAlgorithms(algorithms);
  checkAuthorityMapping(authorityMapping);
  return {
    issuer: options.issuerUri,
    audiences: [...(options.audiences ?? [])],
    algorithms,
    principalClaim: options.principalClaim ?? "sub",
    authoritiesPath: parseClaimPath(options.authoritiesClaim ?? "authorities"),
    authorityMapping,
    clockSkewMs: options.clockSkewMs ?? 60 * SECOND,
  };
}

function checkAlgorithms(algorithms: readonly string[]): void {
  const known: readonly string[] = JWS_ALGORITHMS;
  const other = algorithms.find((algorithm) => !known.includes(algorithm));
  if (other === undefined && algorithms.length > 0) return;
  throw new TypeError(`algorithms must be some of ${known.join(", ")}${other ? `, and not "${other}"` : ""}`);
}
