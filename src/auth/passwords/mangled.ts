import { createDecipheriv, createHash } from "node:crypto";

const SALT = Buffer.from("CCDD213C7E785E99", "hex");
const ITERATIONS = 8;
const BLOCK = 8;

const USER_PASSPHRASE = "superKey";

/**
 * Decodes a mangled secret: hex of PBEWithMD5AndDES (RFC 8018 section 6.1.2) over UTF-8 text, which is obfuscation and not
 * a hash, as the passphrase is public.
 *
 * @returns undefined when `hex` was not made with this passphrase.
 */
export function unmangle(hex: string, passphrase: string = USER_PASSPHRASE): string | undefined {
  const encrypted = Buffer.from(hex, "hex");
  if (encrypted.length * 2 !== hex.length || encrypted.length === 0 || encrypted.length % BLOCK !== 0) return undefined;
  const derived = deriveKey(passphrase);
  const key = derived.subarray(0, BLOCK);
  // OpenSSL has retired DES; three times with the same key it is Triple DES.
  const cipher = createDecipheriv("des-ede3-cbc", Buffer.concat([key, key, key]), derived.subarray(BLOCK));
  // The padding is checked below, more strictly.
  cipher.setAutoPadding(false);
  const text = withoutPadding(Buffer.concat([cipher.update(encrypted), cipher.final()]));
  return text && strictUtf8(text);
}

/** PBKDF1 with MD5: 8 bytes of key, 8 bytes of initialisation vector. */
function deriveKey(passphrase: string): Buffer {
  let derived: Buffer = Buffer.concat([Buffer.from(passphrase, "utf8"), SALT]);
  for (let i = 0; i < ITERATIONS; i++) derived = createHash("md5").update(derived).digest();
  return derived;
}

function withoutPadding(padded: Buffer): Buffer | undefined {
  const length = padded.at(-1) ?? 0;
  if (length < 1 || length > BLOCK) return undefined;
  const padding = padded.subarray(-length);
  return padding.every((byte) => byte === length) ? padded.subarray(0, -length) : undefined;
}

function strictUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
