import { type Clock, systemClock } from "../core/clock.ts";
import { isPrincipal, type Principal } from "../core/principal.ts";
import type { Authenticator } from "./authenticator.ts";
import { DirectoryAuthenticator } from "./basic.ts";
import type { KnownUser, UserDirectory } from "./names.ts";

/** HTTP Basic against users of the host. */
export interface BasicAuthenticatorOptions {
  /** Name of what the credentials are for, which browsers show. */
  readonly realm: string;
  /**
   * Returns the user with these credentials, neither of them empty, or undefined when the user does not exist or the password is
   * wrong. If it throws, neither is known, and the caller gets a 500. Of the principal, `name`, `permissions` and `permissionsNow`
   * count: with the latter, permissions are lost without {@link BasicAuthenticator.forget}.
   */
  readonly verify: (user: string, password: string) => Principal | undefined | Promise<Principal | undefined>;
  /** Calls of `verify` that may run at the same time; 2 unless given. */
  readonly checksAtATime?: number;
  /** Longest delay of a login after failed ones, in milliseconds; 5,000 unless given, 0 slows nothing. */
  readonly maxLoginDelayMs?: number;
  /** Source of time; the machine's own unless given, `ManualClock` of the testing entry in tests. */
  readonly clock?: Clock;
}

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
  const { realm, verify, checksAtATime = 2, maxLoginDelayMs, clock = systemClock } = options;
  const limits = { realm, checksAtATime, maxDelayMs: maxLoginDelayMs };
  const authenticator = new DirectoryAuthenticator(hostDirectory(verify), clock, limits);
  return {
    authenticate: (authorization, caller) => authenticator.authenticate(authorization, caller),
    forget: () => authenticator.replaceDirectory(hostDirectory(verify)),
  };
}

/** A new directory for each call, so that checks in progress begin again when it is replaced. */
function hostDirectory(verify: BasicAuthenticatorOptions["verify"]): UserDirectory {
  return { verify: async (name, password) => userOf(await verify(name, password)) };
}

function userOf(found: Principal | undefined): KnownUser | undefined {
  if (found === undefined || isPrincipal(found)) return found;
  throw new TypeError("verify has to return a principal, as principal(name, permissions) makes it, or undefined");
}
