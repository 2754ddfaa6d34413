import type { Principal } from "../core/principal.ts";

/** What an authenticator says of a request's credentials. */
export type Authentication =
  | { readonly kind: "principal"; readonly principal: Principal }
  /** 401 with this `WWW-Authenticate` header. */
  | { readonly kind: "challenge"; readonly challenge: string }
  /** The API is closed: 403 for everybody, with the reason (decision D-HTTP 9). */
  | { readonly kind: "closed"; readonly reason: string };

/**
 * Turns the `Authorization` header into a principal or a challenge. `authorization` is undefined when the header is
 * absent. Answers at once for credentials it remembers. A rejected promise means that credentials could be neither
 * accepted nor refused, for example because a directory is out of reach: the caller gets 500 (decision D-HTTP 10).
 */
export interface Authenticator {
  authenticate(authorization: string | undefined): Authentication | Promise<Authentication>;
}
