import { createPublicKey, type KeyObject } from "node:crypto";
import { type CryptoKey, createLocalJWKSet, type JWSHeaderParameters } from "jose";
import { z } from "zod";
import { quoted } from "../security-file-error.ts";
import { IdentityProviderError } from "./errors.ts";

/** The public keys that an identity provider published, as one version. */
export interface KeySet {
  /** Equal for equal sets. */
  readonly text: string;
  /** What the operator should know about the set, such as keys that were skipped. */
  readonly warnings: readonly string[];
  /** Rejects with an error of jose when no key, or more than one, fits the header of a token. */
  find(header: JWSHeaderParameters): Promise<CryptoKey>;
}

const MIN_RSA_BITS = 2048;

const keySchema = z.looseObject({ kty: z.string() });
const keySetSchema = z.looseObject({ keys: z.array(keySchema) });

type Jwk = z.infer<typeof keySchema>;

/**
 * Reads a JWK set (RFC 7517). Keys that no token may be checked with are skipped with a warning: secret or private ones, RSA
 * below 2048 bits, those that Node.js cannot read.
 *
 * @throws IdentityProviderError when the document is no JWK set, or no key of it can be used.
 */
export function readKeySet(document: unknown): KeySet {
  const parsed = keySetSchema.safeParse(document);
  if (!parsed.success) throw new IdentityProviderError("the response is no JWK set");
  const warnings: string[] = [];
  const keys = parsed.data.keys.filter((key) => {
    const fault = faultOf(key);
    if (fault !== undefined) warnings.push(`the key ${quoted(String(key.kid ?? ""))} is skipped: ${fault}`);
    return fault === undefined;
  });
  if (keys.length === 0) throw new IdentityProviderError("the JWK set has no key that tokens can be checked with");
  const find = createLocalJWKSet({ keys });
  return { text: JSON.stringify(parsed.data), warnings, find: (header) => find(header) };
}

function faultOf(jwk: Jwk): string | undefined {
  if (jwk.kty === "oct" || jwk.d !== undefined) return "it is not a public key";
  const key = publicKey(jwk);
  if (key === undefined) return "it cannot be read";
  const bits = key.asymmetricKeyDetails?.modulusLength ?? MIN_RSA_BITS;
  return bits < MIN_RSA_BITS ? `it has ${bits} bits, and RSA needs at least ${MIN_RSA_BITS}` : undefined;
}

function publicKey(jwk: Jwk): KeyObject | undefined {
  try {
    return createPublicKey({ key: jwk, format: "jwk" });
  } catch {
    // The reasons of OpenSSL mean nothing to an operator; that the key is skipped is what they have to know.
    return undefined;
  }
}
