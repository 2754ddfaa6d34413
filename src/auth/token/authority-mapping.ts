import { PERMISSIONS, type Permission } from "../../core/principal.ts";

/** Names of nested objects from the claims of a token down to a value. */
export type ClaimPath = readonly string[];

const SEGMENT = /\.([^.[\]"'\s/]+)|\[(?:"([^"]+)"|'([^']+)')\]/g;

/**
 * Reads a path such as `roles`, `realm_access.roles` or `resource_access["my.client"].roles`. A name with a dot, a slash or a
 * blank is in brackets and quotes.
 *
 * @throws TypeError when the text is not such a path.
 */
export function parseClaimPath(text: string): ClaimPath {
  const whole = text.startsWith("[") ? text : `.${text}`;
  const segments = [...whole.matchAll(SEGMENT)];
  if (segments.map(([segment]) => segment).join("") !== whole) {
    const advice = 'write names joined by dots, and a name with other characters as ["name"]';
    throw new TypeError(`${JSON.stringify(text)} is not a path to a claim; ${advice}`);
  }
  return segments.map(([, plain, inDouble, inSingle]) => plain ?? inDouble ?? inSingle ?? "");
}

/** The value at a path; undefined when a name on the way is missing or not an object. */
function claimAt(claims: object, path: ClaimPath): unknown {
  let value: unknown = claims;
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

/** Role of the identity provider to the permissions that it stands for. */
export type AuthorityMapping = Readonly<Record<string, readonly Permission[]>>;

/** The authorities of a token: an array of texts, or one text with blanks, as in `scope`. Anything else is none. */
export function authoritiesOf(claims: object, path: ClaimPath): readonly string[] {
  const value = authoritiesClaim(claims, path);
  if (typeof value === "string") return value.split(" ").filter((authority) => authority !== "");
  return value?.filter((authority) => typeof authority === "string") ?? [];
}

/** The claim with the authorities, if it is a text or a list. */
function authoritiesClaim(claims: object, path: ClaimPath): string | readonly unknown[] | undefined {
  const value = claimAt(claims, path);
  return typeof value === "string" || Array.isArray(value) ? value : undefined;
}

/** Whether there is a text or a list where the authorities should be. */
export function hasAuthorities(claims: object, path: ClaimPath): boolean {
  return authoritiesClaim(claims, path) !== undefined;
}

/**
 * The permissions that authorities stand for: those of the mapping, and for an authority without an entry there the
 * permission of exactly its name. An authority that is neither grants nothing (decision D-AUTH 2).
 */
export function permissionsOf(authorities: readonly string[], mapping: AuthorityMapping): ReadonlySet<Permission> {
  return new Set(
    authorities.flatMap((authority) => {
      if (Object.hasOwn(mapping, authority)) return mapping[authority] ?? [];
      return PERMISSIONS.filter((permission) => permission === authority);
    }),
  );
}

/** @throws TypeError for a permission that this API does not have. */
export function checkAuthorityMapping(mapping: AuthorityMapping): void {
  for (const [authority, permissions] of Object.entries(mapping)) {
    const unknown = permissions.find((permission) => !PERMISSIONS.includes(permission));
    if (unknown === undefined) continue;
    const known = PERMISSIONS.join(", ");
    throw new TypeError(`authority ${JSON.stringify(authority)}: there is no permission "${unknown}", only ${known}`);
  }
}
