/**
 * The identity provider did not give its keys: it is out of reach, or what it answered cannot be used. The message names the
 * address and the reason.
 */
export class IdentityProviderError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "IdentityProviderError";
  }
}
