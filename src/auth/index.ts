/**
 * Authentication, for hosts that mount the API themselves; `Authenticator` is what others are written against.
 *
 * "Specification" is `docs/specification.md` of this package.
 *
 * @module
 */

export type { Environment } from "../core/values/basics.ts";
export type { Authentication, Authenticator, Caller, PresentedCredentials } from "./authenticator.ts";
export { closedAuthenticator } from "./authenticator.ts";
export { type BasicAuthenticator, type BasicAuthenticatorOptions, basicAuthenticator } from "./basic-authenticator.ts";
export { firstOf } from "./first-of.ts";
export {
  type LdapAuthentication,
  type LdapAuthenticationOptions,
  openLdapAuthentication,
} from "./ldap/ldap-authentication.ts";
export type { KnownUser } from "./names.ts";
export { hashPassword } from "./passwords/scrypt.ts";
export { type FilePosition, SecurityFileError } from "./security-file-error.ts";
export {
  openSimpleAuthentication,
  type SimpleAuthentication,
  type SimpleAuthenticationOptions,
} from "./simple.ts";
export type { LoginFailure, SharedLoginFailures } from "./throttle/login-delays.ts";
export type { AuthorityMapping } from "./token/authority-mapping.ts";
export type { KeySetState } from "./token/key-cache.ts";
export {
  openTokenAuthentication,
  type TokenAuthentication,
  type TokenAuthenticationOptions,
} from "./token/token-authentication.ts";
