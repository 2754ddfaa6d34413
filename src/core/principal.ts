/** The five permissions of the API, as rules files and tokens spell them (specification, "Authorization"). */
export const PERMISSIONS = [
  "HALT_RESUME_TRADING",
  "CHANGE_RISK_LIMITS",
  "POSITION_ADJUSTMENT",
  "ENABLE_DISABLE_SERVICE",
  "CONTROL_FIX_SESSION",
] as const;

/** Name of one permission. */
export type Permission = (typeof PERMISSIONS)[number];

/** The ways in which a caller is authenticated; `direct` is code in the same process that names its user. */
export const AUTHENTICATION_METHODS = ["basic", "bearer", "direct"] as const;

/** Authentication method of a caller. */
export type AuthenticationMethod = (typeof AUTHENTICATION_METHODS)[number];

/** An authenticated caller. Their name goes into every audit record and to the engine. */
export interface Principal {
  readonly name: string;
  readonly permissions: ReadonlySet<Permission>;
  readonly authentication: AuthenticationMethod;
  /** `jti` of the bearer token, if any. */
  readonly tokenId?: string;
  /** When the bearer token expires (`exp`), epoch milliseconds. */
  readonly tokenExpires?: number;
  /** OAuth 2.0 client id, if any. */
  readonly clientId?: string;
  /**
   * The permissions that they have now; undefined when they are no longer known. Where it is absent, permissions do not change. It is asked
   * when the whole request has arrived, and of those who asked for a change that needs a second person.
   */
  permissionsNow?(): ReadonlySet<Permission> | undefined;
}

/** The permissions that a principal has now; none when they are no longer known. */
export function permissionsNow(principal: Principal): ReadonlySet<Permission> {
  return (principal.permissionsNow ? principal.permissionsNow() : principal.permissions) ?? new Set();
}

export function stillHas(principal: Principal, permission: Permission): boolean {
  return permissionsNow(principal).has(permission);
}

/**
 * Makes a principal for calls without HTTP: a monitor's own user interface, a scheduler, a test.
 *
 * @example
 * const alice = principal("alice", ["HALT_RESUME_TRADING"]);
 */
export function principal(name: string, permissions: Iterable<Permission> = []): Principal {
  return { name, permissions: new Set(permissions), authentication: "direct" };
}
