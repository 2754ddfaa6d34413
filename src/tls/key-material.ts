import type { KeyObject, X509Certificate } from "node:crypto";

/** Faulty part of the key material, so that a host can name its own setting for it. */
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

/** A private key of a store, with the certificates for it. */
export interface KeyEntry {
  /** As the store spells it; in Java letters of an alias have no case. */
  readonly alias: string;
  /** The certificate of the key, then those of its issuers as far as the store has them; empty if it has none. */
  readonly chain: readonly X509Certificate[];
  /**
   * Decrypts the key.
   *
   * @throws KeyMaterialError when a key of this kind cannot be read; another Error when the password is not that of the key.
   */
  privateKey(password: string): KeyObject | Promise<KeyObject>;
}

export interface KeyStore {
  readonly format: StoreFormat;
  /** In the order of the file. */
  readonly keys: readonly KeyEntry[];
  /** Certificates that belong to no key. */
  readonly trusted: readonly X509Certificate[];
}

/** Formats of key stores, as Java names them. */
export type StoreFormat = "PKCS12" | "JKS";

export interface StoreFile {
  /** For messages. */
  readonly file: string;
  readonly content: Buffer;
  /** Undefined: a JKS store is read without checking that it is whole, a PKCS #12 file with the empty password. */
  readonly password: string | undefined;
}

/** Remedy for a store that only Java can read. */
export const CONVERT = "convert it with keytool -importkeystore -deststoretype PKCS12";

/** Why a private key could not be made of what a file holds, as far as OpenSSL says. */
export type KeyFault = "encryption" | "kind" | "password";

/**
 * What went wrong when OpenSSL read a private key: the encryption is one that it does not have, the key is of a kind that it does not have, or
 * the password differs. A wrong password may leave bytes that are padded by chance, but hardly ASN.1.
 */
export function keyFault(error: unknown): KeyFault {
  const { code = "", opensslErrorStack = [] } = error as { code?: string; opensslErrorStack?: readonly string[] };
  if (/^ERR_OSSL_EVP_(UNSUPPORTED|UNKNOWN)/.test(code)) return "encryption";
  const isNotAsn1 = opensslErrorStack.some((line) => /asn1|decode error/.test(line));
  return code === "ERR_OSSL_UNSUPPORTED" && !isNotAsn1 ? "kind" : "password";
}

/** The faults that another password does not mend, and what does. */
export const UNSUPPORTED: Readonly<Record<Exclude<KeyFault, "password">, string>> = {
  encryption: "its encryption is not supported; encrypt it anew with AES, as openssl pkcs8 -topk8 does",
  kind: "keys of its kind are not supported, or it is damaged; use RSA, P-256, P-384 or P-521",
};
