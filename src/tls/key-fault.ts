/** Why a private key could not be made of what a file holds, as far as OpenSSL says. */
export type KeyFault = "encryption" | "kind" | "password";

/**
 * What went wrong when OpenSSL read a private key: the encryption is one that it does not have, the key is of a kind that it does not have, or
 * the password is another. A wrong password may leave bytes that are padded by chance, but hardly ASN.1.
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
