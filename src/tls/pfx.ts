import { createHmac, timingSafeEqual } from "node:crypto";
import { type DerNode, derOf, elementsOf, identifierOf, integerOf, octetStringOf, octetsOf, readDer } from "./der.ts";
import { decryption, hmacDigest, readPbkdf2 } from "./password-encryption.ts";
import { deriveKey, formsOf, type KeyDigest, type Pkcs12Password } from "./pkcs12-key.ts";
import { checkWork } from "./work.ts";

/** RFC 9579: the code is that of RFC 8018, with PBKDF2. */
const PBMAC1 = "1.2.840.113549.1.5.14";

/** The password does not open the file. */
export class PfxPasswordError extends Error {}

/** A bag of RFC 7292 section 4.2; what is in it may be encrypted once more. */
export interface SafeBag {
  readonly type: string;
  readonly value: DerNode;
  readonly friendlyName: string | undefined;
  /** Links a key and its certificate. */
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
 * Rejects with PfxPasswordError when the password is wrong; with ExcessiveWorkError when that would take too long to find out; with Error when this is not such a file or it is protected in
 * another way.
 */
export async function openPfx(content: Buffer, password: string): Promise<SafeBag[]> {
  const [first, ...others] = formsOf(password);
  try {
    return await openWith(content, first);
  } catch (error) {
    const [other] = others;
    if (other === undefined || !(error instanceof PfxPasswordError)) throw error;
    return await openWith(content, other);
  }
}

async function openWith(content: Buffer, password: Pkcs12Password): Promise<SafeBag[]> {
  const [, authSafe, macData] = elementsOf(readDer(content));
  const [type, explicit] = elementsOf(authSafe);
  if (identifierOf(type) !== DATA) throw new Error("the file is not protected by a password");
  const safe = octetStringOf(elementsOf(explicit)[0]);
  if (macData !== undefined) await checkMac(macData, safe, password);
  const contents: DerNode[] = [];
  for (const info of elementsOf(readDer(safe))) contents.push(await safeContents(info, password));
  return contents.flatMap((bags) => elementsOf(bags).map(readBag));
}

async function checkMac(macData: DerNode, safe: Buffer, password: Pkcs12Password): Promise<void> {
  checkWork(derOf(macData));
  const [digestInfo, salt, iterations] = elementsOf(macData);
  const [algorithm, expected] = elementsOf(digestInfo);
  const [identifier, parameters] = elementsOf(algorithm);
  const mac = octetStringOf(expected);
  const digest = DIGESTS[identifierOf(identifier)];
  const macKey = (name: KeyDigest): Promise<Buffer> =>
    deriveKey(password, {
      digest: name,
      salt: octetStringOf(salt),
      iterations: iterations === undefined ? 1 : integerOf(iterations),
      purpose: "mac",
      bytes: mac.length,
    });
  const found =
    identifierOf(identifier) === PBMAC1
      ? await pbmac1(parameters, safe, password ?? "")
      : digest &&
        createHmac(digest, await macKey(digest))
          .update(safe)
          .digest();
  if (!found) throw new Error(`the file is protected in an unknown way (${identifierOf(identifier)})`);
  if (found.length !== mac.length || !timingSafeEqual(found, mac)) throw new PfxPasswordError("the MAC does not fit");
}

/** Undefined for another derivation or code, or where the length of the key is not said, which RFC 9579 section 5 requires. */
async function pbmac1(parameters: DerNode | undefined, safe: Buffer, password: string): Promise<Buffer | undefined> {
  const [derivation, code] = elementsOf(parameters);
  const [pbkdf2, digest] = [readPbkdf2(derivation), hmacDigest(code)];
  if (!pbkdf2?.keyBytes || !digest) return undefined;
  return createHmac(digest, await pbkdf2.derive(password, pbkdf2.keyBytes))
    .update(safe)
    .digest();
}

async function safeContents(contentInfo: DerNode, password: Pkcs12Password): Promise<DerNode> {
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
