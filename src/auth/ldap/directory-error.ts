/**
 * The LDAP directory is out of reach, or what it says cannot be used. The message is for the operator and never holds a
 * password.
 */
export class LdapDirectoryError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "LdapDirectoryError";
  }
}

/** A server did not respond, or cannot at the moment: another one may. */
export class LdapUnreachableError extends LdapDirectoryError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "LdapUnreachableError";
  }
}

/** The reason of a failure in one line; the libraries put some of theirs on several, and some into inner errors. */
export function messageOf(cause: unknown): string {
  const inner = cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause;
  const message = inner instanceof Error ? inner.message : String(inner);
  return message.replace(/\s+/g, " ").trim();
}
