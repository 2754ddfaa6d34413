/** Path of the API below its mount point, with the version (specification, "Versioning"). */
export const BASE_PATH = "/api/admin/v1";

/** The message for a path that is not one of the API. */
export const NO_SUCH_PATH = "No operation has this path";

/** The beginning of the message for a path that is not below that of the API. */
export const NOTHING_SERVED = "Nothing is served at this path";

/** Valid values of `X-Request-Id` from callers (decision D-HTTP 21). */
export const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** Header in which a page of the gateway sends its key: only what was served to a person's own navigation has one (decision D-HTTP 30). */
export const PAGE_KEY_HEADER = "X-Admin-Page-Key";

/** Where a page has its key: the name of a `meta` element, or of an entry of `localStorage`. */
export const PAGE_KEY_NAME = "trading-admin-page-key";

/**
 * Makes a generator of request ids (decision D-HTTP 22): a random prefix and a counter. Cheaper than one UUID per request, and easier
 * to read out over the phone.
 */
export function requestIds(): () => string {
  // Web Crypto, not `node:crypto`: the client uses this too, and runs in browsers.
  const random = crypto.getRandomValues(new Uint8Array(9));
  const prefix = Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count}`;
  };
}

/**
 * Accepted signature algorithms of tokens (RFC 7518, RFC 8037): only asymmetric ones, since a symmetric key would let every verifier
 * forge tokens.
 */
export const JWS_ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
] as const;

/** Reasons of commands that were given without one. */
export const DEFAULT_REASONS = {
  haltTrading: "Trading halted",
  resumeTrading: "Trading resumed",
  disableService: "Service disabled",
  enableService: "Service enabled",
} as const;

const DEFAULTS: ReadonlySet<string> = new Set(Object.values(DEFAULT_REASONS));

/** The reason that somebody gave; null where there is none but the default. */
export function givenReason(reason: string | null | undefined): string | null {
  return reason && !DEFAULTS.has(reason) ? reason : null;
}
