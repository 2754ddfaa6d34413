import { createDecipheriv, pbkdf2 } from "node:crypto";
import { promisify } from "node:util";
import forge from "node-forge";
import { type DerNode, derOf, elementsOf, identifierOf, integerOf, octetStringOf } from "./der.ts";
import { deriveKey, type Pkcs12Password } from "./pkcs12-key.ts";
import { checkWork } from "./work.ts";

const PBES2 = "1.2.840.113549.1.5.13";

/** Encryption schemes of PBES2, as OpenSSL names them, and the bytes of their keys. */
const CIPHERS: Readonly<Record<string, readonly [name: string, keyBytes: number]>> = {
  "2.16.840.1.101.3.4.1.2": ["aes-128-cbc", 16],
  "2.16.840.1.101.3.4.1.22": ["aes-192-cbc", 24],
  "2.16.840.1.101.3.4.1.42": ["aes-256-cbc", 32],
  "1.2.840.113549.3.7": ["des-ede3-cbc", 24],
};

/** The older schemes (RFC 7292 appendix C) that are still met, and the bytes of their keys. */
const TRIPLE_DES = "1.2.840.113549.1.12.1.3";
const RC2_40 = "1.2.840.113549.1.12.1.6";
const OLD_KEY_BYTES: Readonly<Record<string, number>> = { [TRIPLE_DES]: 24, [RC2_40]: 5 };

type Decrypt = (encrypted: Buffer) => Buffer;

/**
 * How to decrypt what was encrypted with a password (PBES2 of RFC 8018, Triple DES and RC2 of RFC 7292). The key is derived
 * without keeping the event loop. Undefined for other algorithms; what it resolves to throws for another password. Rejects with
 * ExcessiveWorkError, whatever the algorithm.
 */
export async function decryption(
  algorithm: DerNode | undefined,
  password: Pkcs12Password,
): Promise<Decrypt | undefined> {
  const [identifier, parameters] = elementsOf(algorithm);
  checkWork(derOf(algorithm));
  const scheme = identifierOf(identifier);
  if (scheme === PBES2) return pbes2(parameters, password ?? "");
  return scheme in OLD_KEY_BYTES ? oldScheme(scheme, parameters, password) : undefined;
}

async function pbes2(parameters: DerNode | undefined, password: string): Promise<Decrypt | undefined> {
  const [derivation, encryption] = elementsOf(parameters);
  const [cipherId, iv] = elementsOf(encryption);
  const [name, keyBytes] = CIPHERS[identifierOf(cipherId)] ?? [];
  const key = name && keyBytes ? await readPbkdf2(derivation)?.derive(password, keyBytes) : undefined;
  return name && key ? natively(name, key, octetStringOf(iv)) : undefined;
}

async function oldScheme(scheme: string, parameters: DerNode | undefined, password: Pkcs12Password): Promise<Decrypt> {
  const [salt, iterations] = elementsOf(parameters);
  const derivation = { digest: "sha1", salt: octetStringOf(salt), iterations: integerOf(iterations) } as const;
  const key = await deriveKey(password, { ...derivation, purpose: "key", bytes: OLD_KEY_BYTES[scheme] ?? 0 });
  const iv = await deriveKey(password, { ...derivation, purpose: "iv", bytes: 8 });
  return scheme === RC2_40 ? rc2(key, iv) : natively("des-ede3-cbc", key, iv);
}

function natively(cipher: string, key: Buffer, iv: Buffer): Decrypt {
  return (encrypted) => {
    const decipher = createDecipheriv(cipher, key, iv);
    return Buffer.concat([decipher.update(encrypted), decipher.final()]);
  };
}

/** OpenSSL supports it only where its legacy provider is installed. */
function rc2(key: Buffer, iv: Buffer): Decrypt {
  return (encrypted) => {
    const cipher = forge.rc2.createDecryptionCipher(key.toString("latin1"), 8 * key.length);
    cipher.start(iv.toString("latin1"));
    cipher.update(forge.util.createBuffer(encrypted.toString("latin1")));
    if (!cipher.finish()) throw new Error("the padding is wrong");
    return Buffer.from(cipher.output.getBytes(), "latin1");
  };
}

const deriveOffThread = promisify(pbkdf2);

const PBKDF2 = "1.2.840.113549.1.5.12";

/** HMAC with these digests: pseudo-random functions of PBKDF2, and authentication codes. */
const HMACS: Readonly<Record<string, string>> = {
  "1.2.840.113549.2.7": "sha1",
  "1.2.840.113549.2.8": "sha224",
  "1.2.840.113549.2.9": "sha256",
  "1.2.840.113549.2.10": "sha384",
  "1.2.840.113549.2.11": "sha512",
};

/** The digest of an HMAC; undefined for other algorithms. */
export function hmacDigest(algorithm: DerNode | undefined): string | undefined {
  return HMACS[identifierOf(elementsOf(algorithm)[0])];
}

/** How a key is derived from a password (RFC 8018 appendix A.2). */
interface Pbkdf2 {
  /** Bytes of the key, if given. */
  readonly keyBytes: number | undefined;
  /** Derives a key from a password, without keeping the event loop. */
  derive(password: string, keyBytes: number): Promise<Buffer>;
}

/** Reads an AlgorithmIdentifier; undefined for another derivation, or another function in it. */
export function readPbkdf2(algorithm: DerNode | undefined): Pbkdf2 | undefined {
  const [identifier, parameters] = elementsOf(algorithm);
  if (identifierOf(identifier) !== PBKDF2) return undefined;
  const [salt, iterations, ...more] = elementsOf(parameters);
  // The length of the key may stand before the function; without the function it is that with SHA-1.
  const prf = more.find(({ value }) => typeof value !== "string");
  const length = more.find(({ value }) => typeof value === "string");
  const digest = prf === undefined ? "sha1" : hmacDigest(prf);
  if (digest === undefined) return undefined;
  return {
    keyBytes: length && integerOf(length),
    derive: (password, keyBytes) =>
      deriveOffThread(Buffer.from(password, "utf8"), octetStringOf(salt), integerOf(iterations), keyBytes, digest),
  };
}
