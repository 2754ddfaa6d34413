import { listLike, type Needed, nameLike, requireArgument } from "./options.ts";

/** The five permissions of the API, as rules files and tokens spell them (specification, "Authorization"). */
export const PERMISSIONS = [
  "HALT_RESUME_TRADING",
  "CHANGE_RISK_LIMITS",
  "POSITION_ADJUSTMENT",
  "ENABLE_DISABLE_SERVICE",
  "CONTROL_FIX_SESSION",
] as const;

export type Permission = (typeof PERMISSIONS)[number];

/** The ways in which a caller is authenticated; `direct` is code in the same process that names its user. */
export const AUTHENTICATION_METHODS = ["basic", "bearer", "direct"] as const;

export type AuthenticationMethod = (typeof AUTHENTICATION_METHODS)[number];

/** An authenticated caller. Their name goes into every audit record and to the engine. */
export interface Principal {
  /** Name in the audit records and for the engine. */
  readonly name: string;
  /** What they may command; reads need none. */
  readonly permissions: ReadonlySet<Permission>;
  /** How they authenticated: `basic`, `bearer`, or `direct` for code in this process. Recorded with every command. */
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

/** Why a user may not do something, and what to do about it. */
export function lackWords(user: string, permission: Permission): string {
  return `User "${user}" lacks the permission ${permission}; ask whoever keeps the access rules of this installation for it`;
}

/** Whether whoever restricts the user of this name restricts somebody: nobody has an empty name, and `*` stands for nobody else. */
export function isRestrictable(name: unknown): name is string {
  return typeof name === "string" && name !== "" && name !== "*";
}

const NAME = nameLike('"alice"');
const LIST = listLike('["HALT_RESUME_TRADING"]');
const KNOWN: ReadonlySet<unknown> = new Set(PERMISSIONS);

/**
 * Makes a principal: for an authenticator, or for calls without HTTP, such as those of a scheduler or a test. Without permissions they may only read.
 * `more` has what else is known of them, such as `tokenId` for the audit records. `authentication` is `direct` unless given; over HTTP,
 * the scheme of the `Authorization` header takes the place of `direct`: `basic` or `bearer`.
 *
 * @throws TypeError for an empty name, and for a permission that is not one of {@link PERMISSIONS}.
 *
 * @example
 * const alice = principal("alice", ["HALT_RESUME_TRADING"]);
 * const nightJob = principal("night-job", ["HALT_RESUME_TRADING"], { authentication: "bearer", tokenId: jti });
 */
export function principal(
  name: string,
  permissions: Iterable<Permission> = [],
  more: Partial<Omit<Principal, "name" | "permissions">> = {},
): Principal {
  requireArgument("principal", "name", name, NAME);
  requireArgument("principal", "permissions", permissions, LIST);
  const held = new Set(permissions);
  const unknown = [...held].filter((permission) => !KNOWN.has(permission)).map((one) => JSON.stringify(one));
  if (unknown.length > 0)
    throw new TypeError(
      `principal "${name}" cannot have ${unknown.join(", ")}; permissions are ${PERMISSIONS.join(", ")}`,
    );
  return { authentication: "direct", ...more, name, permissions: held };
}

export const PRINCIPAL: Needed = { like: 'principal("alice", ["HALT_RESUME_TRADING"])', fits: isPrincipal };

/** Whether something is a principal, also where no compiler has looked at it. */
export function isPrincipal(found: unknown): found is Principal {
  const { name, permissions } = Object(found) as Partial<Principal>;
  return typeof name === "string" && typeof permissions?.has === "function";
}
