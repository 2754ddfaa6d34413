import { createHmac, timingSafeEqual } from "node:crypto";
import forge from "node-forge";
import { type DerNode, elementsOf, identifierOf, octetsOf, readDer } from "./der.ts";

const { asn1, md, pkcs12, pki, util } = forge;

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
const PBES2 = "1.2.840.113549.1.5.13";
const FRIENDLY_NAME = "1.2.840.113549.1.9.20";
const LOCAL_KEY_ID = "1.2.840.113549.1.9.21";

const DIGESTS: Readonly<Record<string, "sha1" | "sha256" | "sha384" | "sha512">> = {
  "1.3.14.3.2.26": "sha1",
  "2.16.840.1.101.3.4.2.1": "sha256",
  "2.16.840.1.101.3.4.2.2": "sha384",
  "2.16.840.1.101.3.4.2.3": "sha512",
};

/** Purpose of a key that is derived for a MAC (RFC 7292 appendix B.3). */
const FOR_MAC = 3;

/**
 * Checks a PKCS #12 file (RFC 7292) and takes it apart, old encryption (RC2, Triple DES) included. Not the reader of
 * `node-forge` as a whole: that decrypts every key with the password of the store, and refuses a store with a secret in it.
 *
 * @throws PfxPasswordError when the password is another; Error when this is no such file or it is protected in another way.
 */
export function openPfx(content: Buffer, password: string): SafeBag[] {
  const [, authSafe, macData] = elementsOf(readDer(content.toString("latin1")));
  const [type, explicit] = elementsOf(authSafe);
  if (identifierOf(type) !== DATA) throw new Error("the file is not protected by a password");
  const safe = octetsOf(elementsOf(explicit)[0]);
  if (macData !== undefined) checkMac(macData, safe, password);
  return elementsOf(readDer(safe)).flatMap((info) => elementsOf(safeContents(info, password)).map(readBag));
}

function checkMac(macData: DerNode, safe: string, password: string): void {
  const [digestInfo, salt, iterations] = elementsOf(macData);
  const [algorithm, expected] = elementsOf(digestInfo);
  const identifier = identifierOf(elementsOf(algorithm)[0]);
  const digest = DIGESTS[identifier];
  if (digest === undefined) throw new Error(`the file is protected in an unknown way (${identifier})`);
  const count = iterations === undefined ? 1 : asn1.derToInteger(octetsOf(iterations));
  const mac = Buffer.from(octetsOf(expected), "latin1");
  const hash = md[digest].create();
  const key = pkcs12.generateKey(password, util.createBuffer(octetsOf(salt)), FOR_MAC, count, hash.digestLength, hash);
  const found = createHmac(digest, bytesOf(key.getBytes())).update(bytesOf(safe)).digest();
  if (found.length !== mac.length || !timingSafeEqual(found, mac)) throw new PfxPasswordError("the MAC does not fit");
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text, "latin1");
}

function safeContents(contentInfo: DerNode, password: string): DerNode {
  const [type, explicit] = elementsOf(contentInfo);
  const content = elementsOf(explicit)[0];
  const identifier = identifierOf(type);
  if (identifier === DATA) return readDer(octetsOf(content));
  if (identifier !== ENCRYPTED_DATA) throw new Error("a part of the file is not encrypted with a password");
  const [, algorithm, encrypted] = elementsOf(elementsOf(content)[1]);
  return decrypted(algorithm, octetsOf(encrypted), password);
}

function decrypted(algorithm: DerNode | undefined, encrypted: string, password: string): DerNode {
  if (algorithm === undefined) throw new Error("the encryption is not named");
  const octets = asn1.create(asn1.Class.UNIVERSAL, asn1.Type.OCTETSTRING, false, encrypted);
  const info = asn1.create(asn1.Class.UNIVERSAL, asn1.Type.SEQUENCE, true, [algorithm, octets]);
  const isPbes2 = identifierOf(elementsOf(algorithm)[0]) === PBES2;
  // It has the syntax of an encrypted key, though it is none. PBES2 takes UTF-8, the older ones UTF-16.
  const plain: DerNode | null = pki.decryptPrivateKeyInfo(info, isPbes2 ? util.encodeUtf8(password) : password);
  if (plain === null) throw new PfxPasswordError("the certificates cannot be decrypted");
  return plain;
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
