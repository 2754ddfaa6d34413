import { createHmac, timingSafeEqual } from "node:crypto";
import { type DerNode, elementsOf, identifierOf, integerOf, octetStringOf, octetsOf, readDer } from "./der.ts";
import { decryption } from "./password-encryption.ts";
import { deriveKey, type KeyDigest } from "./pkcs12-key.ts";

/** The password does not open the file. */
export class PfxPasswordError extends Error {}

/** A bag of RFC 7292 section 4.2; what is in it may be encrypted once more. */
export interface SafeBag {
  readonly type: string;
  readonly value: DerNode;
  readonly friendlyName: string | undefined;
  /** What a key and its certificate have in common. */
  readonly localKeyId: string | undefined;
}

const DATA = "1.2.840.113549.1.7.1";
const ENCRYPTED_DATA = "1.2.840.113549.1.7.6";
const FRIENDLY_NAME = "1.2.840.113549.1.9.20";
const LOCAL_KEY_ID = "1.2.840.113549.1.9.21";

const DIGESTS: Readonly<Record<string, KeyDigest>> = {
  "1.3.14.3.2.26": "sha1",
  "2.16.840.1.101.3.4.2.1": "sha256",
  "2.16.840.1.101.3.4.2.2": "sha384",
  "2.16.840.1.101.3.4.2.3": "sha512",
};

/**
 * Checks a PKCS #12 file (RFC 7292) and takes it apart, old encryption (RC2, Triple DES) included. Not the reader of
 * `node-forge` as a whole: that decrypts every key with the password of the store, refuses a store with a secret in it, and
 * keeps the event loop while it derives keys.
 *
 * Rejects with PfxPasswordError when the password is another; with Error when this is no such file or it is protected in
 * another way.
 */
export async function openPfx(content: Buffer, password: string): Promise<SafeBag[]> {
  const [, authSafe, macData] = elementsOf(readDer(content));
  const [type, explicit] = elementsOf(authSafe);
  if (identifierOf(type) !== DATA) throw new Error("the file is not protected by a password");
  const safe = octetStringOf(elementsOf(explicit)[0]);
  if (macData !== undefined) await checkMac(macData, safe, password);
  const contents: DerNode[] = [];
  for (const info of elementsOf(readDer(safe))) contents.push(await safeContents(info, password));
  return contents.flatMap((bags) => elementsOf(bags).map(readBag));
}

async function checkMac(macData: DerNode, safe: Buffer, password: string): Promise<void> {
  const [digestInfo, salt, iterations] = elementsOf(macData);
  const [algorithm, expected] = elementsOf(digestInfo);
  const identifier = identifierOf(elementsOf(algorithm)[0]);
  const digest = DIGESTS[identifier];
  if (digest === undefined) throw new Error(`the file is protected in an unknown way (${identifier})`);
  const mac = octetStringOf(expected);
  const key = await deriveKey(password, {
    digest,
    salt: octetStringOf(salt),
    iterations: iterations === undefined ? 1 : integerOf(iterations),
    purpose: "mac",
    bytes: mac.length,
  });
  const found = createHmac(digest, key).update(safe).digest();
  if (found.length !== mac.length || !timingSafeEqual(found, mac)) throw new PfxPasswordError("the MAC does not fit");
}

async function safeContents(contentInfo: DerNode, password: string): Promise<DerNode> {
  const [type, explicit] = elementsOf(contentInfo);
  const content = elementsOf(explicit)[0];
  const identifier = identifierOf(type);
  if (identifier === DATA) return readDer(octetStringOf(content));
  if (identifier !== ENCRYPTED_DATA) throw new Error("a part of the file is not encrypted with a password");
  const [, algorithm, encrypted] = elementsOf(elementsOf(content)[1]);
  const decrypt = await decryption(algorithm, password);
  if (decrypt === undefined) throw new Error("the certificates are encrypted in an unknown way");
  try {
    return readDer(decrypt(octetStringOf(encrypted)));
  } catch (cause) {
    throw new PfxPasswordError("the certificates cannot be decrypted", { cause });
  }
}

function readBag(bag: DerNode): SafeBag {
  const [type, explicit, attributes] = elementsOf(bag);
  const [value] = elementsOf(explicit);
  if (value === undefined) throw new Error("a bag is empty");
  const named = attributes === undefined ? [] : elementsOf(attributes);
  const attribute = (wanted: string): string | undefined => {
    const found = named.map(elementsOf).find(([identifier]) => identifierOf(identifier) === wanted);
    return found && octetsOf(elementsOf(found[1])[0]);
  };
  return {
    type: identifierOf(type),
    value,
    friendlyName: attribute(FRIENDLY_NAME),
    localKeyId: attribute(LOCAL_KEY_ID),
  };
}
