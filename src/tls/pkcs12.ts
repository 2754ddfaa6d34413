import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { chainFrom } from "./certificate-chain.ts";
import { type DerNode, derOf, elementsOf, octetStringOf } from "./der.ts";
import { CONVERT, type KeyEntry, KeyMaterialError, type KeyStore, type StoreFile } from "./key-material.ts";
import { decryption } from "./password-encryption.ts";
import { openPfx, PfxPasswordError, type SafeBag } from "./pfx.ts";

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
    .map((bag, index) => keyEntry(bag, index, certificates));
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
    const reason = "the PKCS12 key store is damaged, or encrypted in a way that is not supported";
    throw new KeyMaterialError("store", `${file}: ${reason}; if Java can read it, ${CONVERT}`, { cause });
  }
}

interface BagCertificate {
  readonly certificate: X509Certificate;
  readonly localKeyId: string | undefined;
}

function certificateOf({ file }: StoreFile, { value, localKeyId, friendlyName = "" }: SafeBag): BagCertificate {
  try {
    const der = octetStringOf(elementsOf(elementsOf(value)[1])[0]);
    return { certificate: new X509Certificate(der), localKeyId };
  } catch (cause) {
    throw new KeyMaterialError("store", `${file}: the certificate "${friendlyName}" cannot be read`, { cause });
  }
}

function keyEntry(bag: SafeBag, index: number, certificates: readonly BagCertificate[]): KeyEntry {
  const own = certificates.find(({ localKeyId }) => localKeyId !== undefined && localKeyId === bag.localKeyId);
  const others = certificates.map(({ certificate }) => certificate);
  return {
    // Java numbers keys without a name.
    alias: bag.friendlyName ?? String(index + 1),
    chain: own ? chainFrom(own.certificate, others) : [],
    privateKey: (password) =>
      bag.type === SHROUDED_KEY ? decryptKey(bag.value, password) : plainKey(derOf(bag.value)),
  };
}

/** Rejects when the password is another one. OpenSSL may know what we do not, but blocks the event loop. */
async function decryptKey(value: DerNode, passphrase: string): Promise<KeyObject> {
  const [algorithm, encrypted] = elementsOf(value);
  const decrypt = await decryption(algorithm, passphrase);
  if (decrypt) return plainKey(decrypt(octetStringOf(encrypted)));
  return createPrivateKey({ key: derOf(value), format: "der", type: "pkcs8", passphrase });
}

function plainKey(key: Buffer): KeyObject {
  return createPrivateKey({ key, format: "der", type: "pkcs8" });
}
