import type { Authentication, Authenticator } from "./authenticator.ts";

/**
 * Refuses every caller, credentials or not: the API does not run without authentication (decision D-HTTP 9).
 *
 * @example
 * adminHandler(api, { authenticator: closedAuthenticator("The API is closed during the migration") });
 */
export function closedAuthenticator(reason: string): Authenticator {
  const closed: Authentication = { kind: "closed", reason };
  return { authenticate: () => closed };
}
