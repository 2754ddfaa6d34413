import { LRUCache } from "lru-cache";
import { type Clock, systemClock } from "../core/clock.ts";
import { CLOCK, COUNT, functionLike, ifGiven, MS, optionsOf, textLike } from "../core/options.ts";
import { isPrincipal, type Principal } from "../core/principal.ts";
import type { Authenticator } from "./authenticator.ts";
import { DirectoryAuthenticator } from "./basic.ts";
import { type KnownUser, nameKey, type UserDirectory } from "./names.ts";

/** HTTP Basic against users of the host. */
export interface BasicAuthenticatorOptions {
  /** Name of what the credentials are for, which browsers show. */
  readonly realm: string;
  /**
   * Returns the user with these credentials, neither of them empty, or undefined when the user does not exist or the password is
   * wrong. If it throws, neither is known, and the caller gets a 500. `name` is the user's as the host's directory has it, not as it was typed: of a
   * directory that compares without accents, one user would be several people for policies. Of the principal, `name`, `permissions` and `permissionsNow`
   * count: with the latter, permissions are lost without {@link BasicAuthenticator.forget}.
   */
  readonly verify: (user: string, password: string) => Principal | undefined | Promise<Principal | undefined>;
  /**
   * Whether there is a user of this name, from what the host has at hand: true or false, not a promise. In a flood of invented names, logins of users who exist take turns; without
   * it, those are the users whom `verify` has accepted since the start, so anyone's first login may get 429 for as long as the flood lasts.
   */
  readonly known?: (user: string) => boolean;
  /** Calls of `verify` that may run at the same time; 2 unless given. */
  readonly checksAtATime?: number;
  /** Longest delay of a login after failed ones, in milliseconds; 5,000 unless given, 0 slows nothing. */
  readonly maxLoginDelayMs?: number;
  /** Source of time; the machine's own unless given, `ManualClock` of the testing entry in tests. */
  readonly clock?: Clock;
}

const checked = optionsOf<BasicAuthenticatorOptions>("basicAuthenticator", {
  realm: textLike('"monitor"'),
  verify: functionLike("async (user, password) => principal(user, permissions)"),
  known: ifGiven(functionLike("(user) => users.has(user)")),
  checksAtATime: ifGiven(COUNT),
  maxLoginDelayMs: ifGiven(MS),
  clock: ifGiven(CLOCK),
});

/** An authenticator that remembers credentials that were right for five minutes. */
export interface BasicAuthenticator extends Authenticator {
  /** Has all credentials verified again, for example after a user was removed. */
  forget(): void;
}

/**
 * HTTP Basic (RFC 7617) against the host's own users. Credentials that were right are remembered by digest for five minutes, so
 * `verify` may be slow. Failed logins slow further ones of their user and address; `verify` is not called more often than it can
 * bear, and logins beyond that get 429.
 *
 * @example
 * const authenticator = basicAuthenticator({
 *   realm: "monitor",
 *   verify: async (user, password) => {
 *     const found = await users.login(user, password);
 *     return found && principal(found.name, found.permissions);
 *   },
 * });
 */
export function basicAuthenticator(options: BasicAuthenticatorOptions): BasicAuthenticator {
  const { realm, checksAtATime = 2, maxLoginDelayMs, clock = systemClock } = checked(options);
  const limits = { realm, checksAtATime, maxDelayMs: maxLoginDelayMs };
  const accepted = new LRUCache<string, true>({ max: CAPACITY });
  const directory = (): UserDirectory => hostDirectory(options, accepted);
  const authenticator = new DirectoryAuthenticator(directory(), clock, limits);
  return {
    authenticate: (authorization, caller) => authenticator.authenticate(authorization, caller),
    forget: () => authenticator.replaceDirectory(directory()),
  };
}

/** Names whose acceptance is known, where the host does not say who exists. */
const CAPACITY = 10_000;

/** A new directory for each call, so that checks in progress begin again when it is replaced. */
function hostDirectory(
  { verify, known = (name) => accepted.has(nameKey(name)) }: BasicAuthenticatorOptions,
  accepted: LRUCache<string, true>,
): UserDirectory {
  return {
    verify: async (name, password) => {
      // Otherwise a promise would be noticed by nobody before a flood.
      if (typeof known(name) !== "boolean")
        throw new TypeError("known has to return true or false, not a promise of it");
      const user = userOf(await verify(name, password));
      if (user) accepted.set(nameKey(name), true);
      return user;
    },
    mayExist: known,
  };
}

function userOf(found: Principal | undefined): KnownUser | undefined {
  if (found === undefined || isPrincipal(found)) return found;
  throw new TypeError("verify has to return a principal, as principal(name, permissions) makes it, or undefined");
}
