import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { chainFrom, hasIssuer } from "./certificate-chain.ts";
import { type DerNode, derOf, elementsOf, octetStringOf } from "./der.ts";
import { CONVERT, type KeyEntry, KeyMaterialError, type KeyStore, type StoreFile } from "./key-material.ts";
import { decryption } from "./password-encryption.ts";
import { openPfx, PfxPasswordError, type SafeBag } from "./pfx.ts";
import { formsOf } from "./pkcs12-key.ts";
import { ExcessiveWorkError } from "./work.ts";

/** Types of bags (RFC 7292 section 4.2); others, such as secrets, mean nothing to TLS. */
const KEY = "1.2.840.113549.1.12.10.1.1";
const SHROUDED_KEY = "1.2.840.113549.1.12.10.1.2";
const CERTIFICATE = "1.2.840.113549.1.12.10.1.3";

/**
 * Reads a PKCS #12 file (RFC 7292), as `keytool` and `openssl pkcs12 -export` write it.
 *
 * Rejects with KeyMaterialError when it is damaged, protected in an unknown way, or has another password.
 */
export async function readPkcs12(store: StoreFile): Promise<KeyStore> {
  const bags = await bagsOf(store);
  const certificates = bags.filter(({ type }) => type === CERTIFICATE).map((bag) => certificateOf(store, bag));
  const keys = bags
    .filter(({ type }) => type === KEY || type === SHROUDED_KEY)
    .map((bag, index, all) => keyEntry(bag, index, certificateFor(bag, certificates, all.length === 1), certificates));
  const owned = new Set(keys.flatMap(({ chain }) => chain.map(({ fingerprint256 }) => fingerprint256)));
  const trusted = certificates
    .map(({ certificate }) => certificate)
    .filter((certificate) => !owned.has(certificate.fingerprint256));
  return { format: "PKCS12", keys, trusted };
}

async function bagsOf({ file, content, password }: StoreFile): Promise<SafeBag[]> {
  try {
    return await openPfx(content, password ?? "");
  } catch (cause) {
    if (cause instanceof PfxPasswordError) {
      const reason =
        password === undefined ? `${file} has a password, which is needed` : `it is not the password of ${file}`;
      throw new KeyMaterialError("store password", reason, { cause });
    }
    if (cause instanceof ExcessiveWorkError)
      throw new KeyMaterialError("store", `${file}: ${cause.message}`, { cause });
    const reason = "the PKCS12 key store is damaged, or encrypted in a way that is not supported";
    throw new KeyMaterialError("store", `${file}: ${reason}; if Java can read it, ${CONVERT}`, { cause });
  }
}

interface BagCertificate {
  readonly certificate: X509Certificate;
  readonly localKeyId: string | undefined;
  readonly friendlyName: string | undefined;
}

function certificateOf({ file }: StoreFile, { value, localKeyId, friendlyName }: SafeBag): BagCertificate {
  try {
    const der = octetStringOf(elementsOf(elementsOf(value)[1])[0]);
    return { certificate: new X509Certificate(der), localKeyId, friendlyName };
  } catch (cause) {
    throw new KeyMaterialError("store", `${file}: the certificate "${friendlyName ?? ""}" cannot be read`, { cause });
  }
}

/** That with the id of the key, else that with its name, else for the only key that which has issued no other. */
function certificateFor(
  { localKeyId, friendlyName }: SafeBag,
  certificates: readonly BagCertificate[],
  isOnlyKey: boolean,
): BagCertificate | undefined {
  const byId = certificates.find((other) => localKeyId !== undefined && other.localKeyId === localKeyId);
  const unnumbered = localKeyId === undefined ? certificates.filter((other) => other.localKeyId === undefined) : [];
  const byName = unnumbered.filter((other) => friendlyName !== undefined && other.friendlyName === friendlyName);
  const leaves = unnumbered.filter(({ certificate }) => !certificates.some((other) => isIssuerOf(certificate, other)));
  return byId ?? onlyOne(byName) ?? (isOnlyKey ? onlyOne(leaves) : undefined);
}

function isIssuerOf(certificate: X509Certificate, { certificate: other }: BagCertificate): boolean {
  return other !== certificate && hasIssuer(other, [certificate]);
}

function onlyOne<T>(found: readonly T[]): T | undefined {
  return found.length === 1 ? found[0] : undefined;
}

function keyEntry(
  bag: SafeBag,
  index: number,
  own: BagCertificate | undefined,
  certificates: readonly BagCertificate[],
): KeyEntry {
  const others = certificates.map(({ certificate }) => certificate);
  return {
    // Java numbers keys without a name.
    alias: bag.friendlyName ?? String(index + 1),
    chain: own ? chainFrom(own.certificate, others) : [],
    privateKey: (password) =>
      bag.type === SHROUDED_KEY ? decryptKey(bag.value, password) : plainKey(derOf(bag.value)),
  };
}

/** Rejects when the password is wrong. OpenSSL may know what this code does not, but blocks the event loop. */
async function decryptKey(value: DerNode, password: string): Promise<KeyObject> {
  const [algorithm, encrypted] = elementsOf(value);
  let failure: unknown;
  for (const form of formsOf(password)) {
    const decrypt = await decryption(algorithm, form);
    if (!decrypt) return createPrivateKey({ key: derOf(value), format: "der", type: "pkcs8", passphrase: password });
    try {
      return plainKey(decrypt(octetStringOf(encrypted)));
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}

function plainKey(key: Buffer): KeyObject {
  return createPrivateKey({ key, format: "der", type: "pkcs8" });
}
