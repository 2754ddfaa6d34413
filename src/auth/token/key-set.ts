import { createPublicKey, type KeyObject } from "node:crypto";
import { type CryptoKey, createLocalJWKSet, errors, type JWSHeaderParameters } from "jose";
import { z } from "zod";
import { quoted } from "../security-file-error.ts";
import { IdentityProviderError } from "./fetch-json.ts";

/** The public keys that an identity provider published, as one version. */
export interface KeySet {
  /** Equal for equal sets. */
  readonly text: string;
  /** Warnings for the operator, such as keys that were skipped. */
  readonly warnings: readonly string[];
  /**
   * The keys that fit the header of a token, at least one: without `kid`, or where several keys have the same, any of them may have signed it
   * (RFC 7515 section 4.1.4). Rejects with an error of jose when none fits.
   */
  find(header: JWSHeaderParameters): Promise<readonly CryptoKey[]>;
}

const MIN_RSA_BITS = 2048;
/** With 1 a signature is its own text, with a small one it may be forged without the key. */
const MIN_RSA_EXPONENT = 65_537n;

/** Keys of a set that are read: each takes up to a millisecond of the thread at every refresh, and providers publish a dozen at most. */
const MAX_KEYS = 64;

/** Keys that a token is tried with: each takes up to a millisecond. */
const MAX_FITTING = 8;

const keySchema = z.looseObject({ kty: z.string() });
const keySetSchema = z.looseObject({ keys: z.array(keySchema) });

type Jwk = z.infer<typeof keySchema>;

/**
 * Reads a JWK set (RFC 7517). Keys that no token may be checked with are skipped with a warning: secret or private ones, RSA
 * below 2048 bits or with an exponent below 65537, those that Node.js cannot read; those beyond the first 64.
 *
 * @throws IdentityProviderError when the document is not a JWK set, or no key of it can be used.
 */
export function readKeySet(document: unknown): KeySet {
  const parsed = keySetSchema.safeParse(document);
  if (!parsed.success) throw new IdentityProviderError("the response is not a JWK set");
  const warnings: string[] = [];
  const published = parsed.data.keys;
  const tooMany = published.length - MAX_KEYS;
  if (tooMany > 0) warnings.push(`${tooMany} keys are skipped: of a set of keys ${MAX_KEYS} are read`);
  const keys = published.slice(0, MAX_KEYS).filter((key) => {
    const fault = faultOf(key);
    if (fault !== undefined) warnings.push(`the key ${quoted(String(key.kid ?? ""))} is skipped: ${fault}`);
    return fault === undefined;
  });
  if (keys.length === 0) throw new IdentityProviderError("the JWK set has no key that tokens can be checked with");
  const find = createLocalJWKSet({ keys });
  return { text: JSON.stringify(parsed.data), warnings, find: (header) => fittingKeys(find, header) };
}

async function fittingKeys(
  find: ReturnType<typeof createLocalJWKSet>,
  header: JWSHeaderParameters,
): Promise<readonly CryptoKey[]> {
  try {
    return [await find(header)];
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    const keys: CryptoKey[] = [];
    for await (const key of error) if (keys.push(key) === MAX_FITTING) break;
    return keys;
  }
}

function faultOf(jwk: Jwk): string | undefined {
  if (jwk.kty === "oct" || jwk.d !== undefined) return "it is not a public key";
  const key = publicKey(jwk);
  if (key === undefined) return "it cannot be read";
  const { modulusLength = MIN_RSA_BITS, publicExponent = MIN_RSA_EXPONENT } = key.asymmetricKeyDetails ?? {};
  if (modulusLength < MIN_RSA_BITS) return `it has ${modulusLength} bits, and RSA needs at least ${MIN_RSA_BITS}`;
  if (publicExponent >= MIN_RSA_EXPONENT && publicExponent % 2n === 1n) return undefined;
  return `its exponent is ${publicExponent}, and RSA needs an odd one from ${MIN_RSA_EXPONENT} on`;
}

function publicKey(jwk: Jwk): KeyObject | undefined {
  try {
    return createPublicKey({ key: jwk, format: "jwk" });
  } catch {
    // The reasons of OpenSSL mean nothing to an operator; that the key is skipped is what they have to know.
    return undefined;
  }
}
