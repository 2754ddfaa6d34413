import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import type { ServerIdentity } from "./identity.ts";
import { KeyMaterialError, keyFault, UNSUPPORTED } from "./key-material.ts";
import { checkWork, ExcessiveWorkError } from "./work.ts";

/** A text file in PEM (RFC 7468). */
export interface PemFile {
  /** For messages. */
  readonly file: string;
  readonly text: string;
}

const CERTIFICATE = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^-]+-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g;
const PRIVATE_KEY = /-----BEGIN ((?:[A-Z]+ )*PRIVATE KEY)-----[\s\S]+?-----END \1-----/;

/**
 * Reads the certificates of a PEM file, in its order; what else is in it is not looked at.
 *
 * @throws KeyMaterialError when there is none, or one that cannot be read.
 */
export function readCertificates({ file, text }: PemFile): ServerIdentity["chain"] {
  const blocks = text.match(CERTIFICATE) ?? [];
  const [first, ...others] = blocks.map((block, index) => {
    try {
      return new X509Certificate(block);
    } catch (cause) {
      const which = `certificate ${index + 1} of ${blocks.length}`;
      throw new KeyMaterialError("certificate", `${file}: ${which} cannot be read`, { cause });
    }
  });
  if (first) return [first, ...others];
  throw new KeyMaterialError("certificate", `${file}: there is no PEM certificate (-----BEGIN CERTIFICATE-----)`);
}

/**
 * Reads the private key of a PEM file: PKCS #8, PKCS #1 or SEC 1, encrypted or not.
 *
 * @throws KeyMaterialError when there is none, or the password is missing or another.
 */
export function readPrivateKey({ file, text }: PemFile, password: string | undefined): KeyObject {
  const key = PRIVATE_KEY.exec(text)?.[0];
  if (key === undefined) {
    throw new KeyMaterialError("private key", `${file}: there is no PEM private key (-----BEGIN PRIVATE KEY-----)`);
  }
  const isEncrypted = /^-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(key);
  if (isEncrypted && password === undefined) {
    throw new KeyMaterialError("key password", `the private key in ${file} is encrypted, so its password is needed`);
  }
  try {
    checkWork(bytesOf(key));
    return createPrivateKey({ key, ...(isEncrypted && { passphrase: password }) });
  } catch (cause) {
    if (cause instanceof ExcessiveWorkError)
      throw new KeyMaterialError("private key", `${file}: ${cause.message}`, { cause });
    const fault = keyFault(cause);
    if (fault !== "password")
      throw new KeyMaterialError("private key", `${file}: the private key cannot be used: ${UNSUPPORTED[fault]}`, {
        cause,
      });
    if (isEncrypted)
      throw new KeyMaterialError("key password", `it does not decrypt the private key in ${file}`, { cause });
    throw new KeyMaterialError("private key", `${file}: the private key cannot be read`, { cause });
  }
}

/** The DER of an encrypted key of PKCS #8; nothing for the other forms, whose work no file chooses. */
function bytesOf(key: string): Buffer {
  const [, base64 = ""] = /^-----BEGIN ENCRYPTED PRIVATE KEY-----([^-]*)/.exec(key) ?? [];
  return Buffer.from(base64, "base64");
}
