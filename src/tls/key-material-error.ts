/** What of the key material is at fault, so that a host can name its own setting for it. */
export type KeyMaterialPart = "store" | "store password" | "key password" | "alias" | "certificate" | "private key";

/**
 * Keys and certificates cannot be used as they are. The message is for the operator: it names the file, what is wrong and
 * what to do, and never holds a password or a key.
 */
export class KeyMaterialError extends Error {
  readonly part: KeyMaterialPart;

  constructor(part: KeyMaterialPart, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "KeyMaterialError";
    this.part = part;
  }
}
