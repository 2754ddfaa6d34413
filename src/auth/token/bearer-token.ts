/** What an `Authorization` header holds, seen from a server that expects a bearer token. */
export type BearerToken =
  | { readonly kind: "token"; readonly token: string }
  /** No header, another scheme (decision D-AUTH 4), or the scheme alone. */
  | { readonly kind: "absent" }
  /** Something was sent that is no token: two of them, parameters, too long. */
  | { readonly kind: "malformed" };

/** Longest token that is looked at, in characters. */
const MAX_TOKEN_LENGTH = 16 * 1024;

const SCHEME = /^bearer(?: |$)/i;
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/** Reads an `Authorization` header of the Bearer scheme (RFC 6750 section 2.1); the scheme may be in any case. */
export function readBearerToken(authorization: string | undefined): BearerToken {
  if (authorization === undefined || !SCHEME.test(authorization)) return { kind: "absent" };
  const token = authorization.slice("Bearer".length).trim();
  if (token === "") return { kind: "absent" };
  if (token.length > MAX_TOKEN_LENGTH || !TOKEN.test(token)) return { kind: "malformed" };
  return { kind: "token", token };
}
