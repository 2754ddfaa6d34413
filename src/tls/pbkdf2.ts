import { pbkdf2 } from "node:crypto";
import { promisify } from "node:util";
import { type DerNode, elementsOf, identifierOf, integerOf, octetStringOf } from "./der.ts";

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
export interface Pbkdf2 {
  /** Bytes of the key, if that is said. */
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
