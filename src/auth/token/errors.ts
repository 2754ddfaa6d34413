import type { errors } from "jose";

/** A token is to be refused. The message is one of a few, for the log, and holds nothing of the token. */
export class InvalidTokenError extends Error {
  override readonly name = "InvalidTokenError";

  /** From an error of jose. Its messages are fixed texts, but that on extensions quotes the header. */
  static of(error: errors.JOSEError): InvalidTokenError {
    const reason = error.code === "ERR_JOSE_NOT_SUPPORTED" ? "it needs what is not supported" : error.message;
    return new InvalidTokenError(reason, { cause: error });
  }
}

/**
 * The identity provider did not give its keys: it is out of reach, or its response cannot be used. The message names the
 * address and the reason.
 */
export class IdentityProviderError extends Error {
  override readonly name = "IdentityProviderError";
}

/** So many tokens wait for the check of their signature that one more would only take memory. */
export class TooManyTokensError extends Error {
  override readonly name = "TooManyTokensError";
}
