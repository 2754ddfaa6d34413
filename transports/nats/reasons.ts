import { AuthorizationError, PermissionViolationError } from "@nats-io/transport-node";

/** Why something with a NATS server failed, for people. Holds nothing secret: what servers say names no credentials. */
export function inWords(error: unknown): string {
  if (!(error instanceof Error)) return "the connection broke off";
  if (error instanceof AuthorizationError) return `it refused the login (${error.message})`;
  if (error instanceof PermissionViolationError) return `it does not let this user do that (${error.message})`;
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ECONNREFUSED") return "connection refused";
  if (code === "ECONNRESET" || code === "EPIPE") return "the connection broke off";
  // A host with several addresses has an error without a message.
  return error.message || code || error.name;
}
