import type { KeyObject, X509Certificate } from "node:crypto";
import { subjectOf } from "./certificate-chain.ts";
import {
  type KeyEntry,
  KeyMaterialError,
  type KeyMaterialPart,
  type KeyStore,
  keyFault,
  UNSUPPORTED,
} from "./key-material.ts";
import { ExcessiveWorkError } from "./work.ts";

export interface ServerIdentity {
  readonly privateKey: KeyObject;
  /** The server's own certificate, then those of its issuers. */
  readonly chain: readonly [X509Certificate, ...X509Certificate[]];
}

/** Which key of a store to use, and what it is encrypted with. */
export interface KeyChoice {
  /** For messages. */
  readonly file: string;
  /** Letters have no case, as in Java; the first key of the file if it is undefined. */
  readonly alias: string | undefined;
  readonly storePassword: string | undefined;
  /** The password of the store if it is undefined. */
  readonly keyPassword: string | undefined;
}

/**
 * Takes a key out of a store, with its certificates.
 *
 * Rejects with KeyMaterialError when the key does not exist, its password differs, or the certificate is not for it.
 */
export async function serverIdentity(store: KeyStore, choice: KeyChoice): Promise<ServerIdentity> {
  const entry = chosen(store, choice);
  const [own, ...issuers] = entry.chain;
  const name = `the key "${entry.alias}" in ${choice.file}`;
  if (own === undefined) throw new KeyMaterialError("store", `${name} has no certificate`);
  return identity(await decrypt(entry, choice, name), [own, ...issuers], "store", name);
}

/**
 * A private key with certificates, the first of which is for it. `name` is what messages call the key.
 *
 * @throws KeyMaterialError for `part` when the first certificate is not for this key.
 */
export function identity(
  privateKey: KeyObject,
  chain: ServerIdentity["chain"],
  part: KeyMaterialPart,
  name: string,
): ServerIdentity {
  checkKind(privateKey, part, name);
  const [own, ...others] = chain;
  if (own.checkPrivateKey(privateKey)) return { privateKey, chain };
  const fitting = others.findIndex((certificate) => certificate.checkPrivateKey(privateKey));
  const advice = fitting < 0 ? "use the key that it was issued for" : `certificate ${fitting + 2} does; put it first`;
  throw new KeyMaterialError(part, `the certificate ${subjectOf(own)} does not belong to ${name}; ${advice}`);
}

/** Kinds of keys that clients accept in certificates of servers, and of elliptic curves those that TLS 1.3 still has. */
const KINDS: ReadonlySet<string> = new Set(["rsa", "rsa-pss", "ec", "ed25519", "ed448"]);
const CURVES = new Set(["prime256v1", "secp384r1", "secp521r1"]);

/** Node would serve any key, and each handshake would fail. */
function checkKind(
  { asymmetricKeyType: type, asymmetricKeyDetails }: KeyObject,
  part: KeyMaterialPart,
  name: string,
): void {
  const curve = asymmetricKeyDetails?.namedCurve;
  const isUsable = type !== undefined && KINDS.has(type) && (type !== "ec" || CURVES.has(curve ?? ""));
  if (isUsable) return;
  const kind = curve === undefined ? `the kind ${type}` : `the curve ${curve}`;
  throw new KeyMaterialError(part, `${name} is of ${kind}, which no client accepts; use RSA, P-256, P-384 or P-521`);
}

function chosen({ keys, trusted }: KeyStore, { file, alias }: KeyChoice): KeyEntry {
  const [first] = keys;
  if (first === undefined) {
    const held = trusted.length === 0 ? "it is empty" : "it holds certificates only";
    throw new KeyMaterialError("store", `${file}: there is no private key in this key store; ${held}`);
  }
  if (alias === undefined) return first;
  const wanted = alias.toLowerCase();
  const found = keys.find((key) => key.alias.toLowerCase() === wanted);
  if (found) return found;
  const known = keys.map((key) => `"${key.alias}"`).join(", ");
  throw new KeyMaterialError("alias", `${file} holds no private key "${alias}"; it holds ${known}`);
}

async function decrypt(entry: KeyEntry, { storePassword, keyPassword }: KeyChoice, name: string): Promise<KeyObject> {
  try {
    return await entry.privateKey(keyPassword ?? storePassword ?? "");
  } catch (cause) {
    if (cause instanceof KeyMaterialError) throw cause;
    if (cause instanceof ExcessiveWorkError)
      throw new KeyMaterialError("store", `${name}: ${cause.message}`, { cause });
    const fault = keyFault(cause);
    if (fault !== "password")
      throw new KeyMaterialError("store", `${name} cannot be used: ${UNSUPPORTED[fault]}`, { cause });
    const reason =
      keyPassword === undefined ? `${name} has its own password, which is needed` : `it does not decrypt ${name}`;
    throw new KeyMaterialError("key password", reason, { cause });
  }
}
