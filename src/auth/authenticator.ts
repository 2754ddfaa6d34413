import type { AuthenticationMethod, Principal } from "../core/principal.ts";

/** Credentials that were presented and not accepted, for the record. */
export interface PresentedCredentials {
  /** The name that was tried; null where the credentials prove none, such as an invalid token. */
  readonly user: string | null;
  /** `basic` or `bearer`. */
  readonly authentication: AuthenticationMethod;
}

/** Result of checking a request's credentials. */
export type Authentication =
  | {
      readonly kind: "principal";
      readonly principal: Principal;
      /** Whether the header holds a password of HTTP Basic that was verified: then the key of a page may be derived from it. */
      readonly isPasswordVerified?: boolean;
    }
  /** 401 with this `WWW-Authenticate` header; `presented` if there were credentials and they are wrong. */
  | { readonly kind: "challenge"; readonly challenge: string; readonly presented?: PresentedCredentials }
  /** Too many fail or wait, so the credentials were not checked, or are not said to be wrong: 429 with the reason. */
  | { readonly kind: "throttled"; readonly reason: string; readonly presented: PresentedCredentials }
  /** The API is closed: 403 for every caller, with the reason. */
  | { readonly kind: "closed"; readonly reason: string };

/** The sender of credentials, such as a request. */
export interface Caller {
  /** Their network address. */
  readonly address: string | undefined;
  /** Whether the client has disconnected, where that is known: then nothing has to be checked for it any more. */
  readonly isDisconnected?: boolean;
  /** Whether they ask for an operation of the lane `stop`, which may be worth more than a directory that is unreachable. */
  readonly isStop?: boolean;
}

/**
 * Turns the `Authorization` header into a principal or a challenge. `authorization` is undefined when the header is
 * absent; a `caller` lets failed logins be counted by address. Returns immediately for credentials it remembers. A rejected promise
 * means that credentials could be neither accepted nor refused, for example because a directory is unreachable: the caller
 * gets 500.
 *
 * @example
 * const authenticator: Authenticator = {
 *   authenticate: (authorization) =>
 *     authorization === secret
 *       ? { kind: "principal", principal: principal("scheduler", PERMISSIONS) }
 *       : { kind: "challenge", challenge: "Bearer" },
 * };
 */
export interface Authenticator {
  /** Called for every request of the API, before anything else of it is looked at. */
  authenticate(authorization: string | undefined, caller?: Caller): Authentication | Promise<Authentication>;
}

/**
 * Refuses every caller, credentials or not: the API does not run without authentication.
 *
 * @example
 * adminHandler(api, { authenticator: closedAuthenticator("The API is closed during the migration") });
 */
export function closedAuthenticator(reason: string): Authenticator {
  const closed: Authentication = { kind: "closed", reason };
  return { authenticate: () => closed };
}
