import { hash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";

/** Digests that keys are derived with, and the bytes of their blocks. */
const BLOCK_BYTES = { sha1: 64, sha256: 64, sha384: 128, sha512: 128 } as const;

export type KeyDigest = keyof typeof BLOCK_BYTES;

/** Purposes of derived bytes (RFC 7292 appendix B.3). */
const PURPOSES = { key: 1, iv: 2, mac: 3 } as const;

/**
 * A password as RFC 7292 derives from it: null is none, where the two zero bytes at the end are left out as well. Some tools write this for
 * the empty password.
 */
export type Pkcs12Password = string | null;

/** The forms in which a password may have been used. */
export function formsOf(password: string): readonly [Pkcs12Password, ...Pkcs12Password[]] {
  return password === "" ? ["", null] : [password];
}

export interface KeyDerivation {
  readonly digest: KeyDigest;
  readonly salt: Buffer;
  readonly iterations: number;
  readonly purpose: keyof typeof PURPOSES;
  readonly bytes: number;
}

/** Rounds at a time, some half a millisecond: Java has 100,000 of them in its older files, and requests must not wait. */
const ROUNDS_IN_A_TURN = 250;

/** Derives bytes from a password as RFC 7292 appendix B.2 says, which no library does natively, over turns of the event loop. */
export async function deriveKey(password: Pkcs12Password, derivation: KeyDerivation): Promise<Buffer> {
  const { digest, salt, iterations, purpose, bytes } = derivation;
  const block = BLOCK_BYTES[digest];
  const diversifier = Buffer.alloc(block, PURPOSES[purpose]);
  const secret = password === null ? Buffer.alloc(0) : Buffer.from(`${password}\0`, "utf16le").swap16();
  const input = Buffer.concat([filled(salt, block), filled(secret, block)]);
  const parts: Buffer[] = [];
  for (let derived = 0; derived < bytes; ) {
    const part = await hashedOften(digest, Buffer.concat([diversifier, input]), iterations);
    parts.push(part);
    derived += part.length;
    addToBlocks(input, filled(part, block).subarray(0, block));
  }
  return Buffer.concat(parts).subarray(0, bytes);
}

/** Repeats bytes until they fill blocks; nothing stays nothing. */
function filled(bytes: Buffer, block: number): Buffer {
  return bytes.length === 0 ? bytes : Buffer.alloc(Math.ceil(bytes.length / block) * block, bytes);
}

async function hashedOften(digest: KeyDigest, first: Buffer, times: number): Promise<Buffer> {
  let value = first;
  for (let round = 1; round <= times; round += 1) {
    value = hash(digest, value, "buffer");
    if (round % ROUNDS_IN_A_TURN === 0) await nextTurn();
  }
  return value;
}

/** Adds a number and 1 to each block of a buffer, modulo its size. */
function addToBlocks(blocks: Buffer, number: Buffer): void {
  for (let end = blocks.length; end > 0; end -= number.length) {
    let carry = 1;
    for (let at = 1; at <= number.length; at += 1) {
      carry += (blocks[end - at] ?? 0) + (number[number.length - at] ?? 0);
      blocks[end - at] = carry & 0xff;
      carry >>= 8;
    }
  }
}
