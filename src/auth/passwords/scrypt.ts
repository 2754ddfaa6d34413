import { randomBytes, type ScryptOptions, scrypt as scryptWithCallback } from "node:crypto";
import { promisify } from "node:util";
import { requireArgument, textLike } from "../../core/options.ts";
import { type PasswordHash, UnusablePasswordError } from "./password-hash.ts";

interface ScryptParameters {
  /** Binary logarithm of N, the cost in time and memory. */
  readonly ln: number;
  /** Block size: memory is 128 * r * N bytes. */
  readonly r: number;
  /** Parallelism: time grows with it, memory does not. */
  readonly p: number;
}

const scrypt = promisify<string, Buffer, number, ScryptOptions, Buffer>(scryptWithCallback);
const DEFAULTS: ScryptParameters = { ln: 15, r: 8, p: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** A file must not be able to ask for gigabytes or for minutes. */
const MAX_MEMORY = 128 * 1024 * 1024;
const MAX_BLOCKS = 2 ** 22;

const FORMAT = /^\$scrypt\$ln=([1-9]\d?),r=([1-9]\d?),p=([1-9]\d?)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/**
 * Hashes a password for `uac-file-security.xml`: `$scrypt$ln=15,r=8,p=1$SALT$HASH`, a PHC string with
 * base64 without padding.
 *
 * @throws Error when the password is empty or has control characters, which HTTP Basic cannot carry (RFC 7617 section 2).
 *
 * @example
 * const element = `<password>${await hashPassword("correct horse battery staple")}</password>`;
 */
export async function hashPassword(password: string): Promise<string> {
  requireArgument("hashPassword", "password", password, textLike('"correct horse battery staple"'));
  if (password === "") throw new Error("The password is empty; type one");
  if (/\p{Cc}/u.test(password)) {
    throw new Error("The password holds a control character, which HTTP Basic cannot carry; choose another one");
  }
  const salt = randomBytes(SALT_BYTES);
  const hash = await scrypt(password, salt, HASH_BYTES, optionsOf(DEFAULTS));
  return `$scrypt$${describe(DEFAULTS)}$${unpadded(salt)}$${unpadded(hash)}`;
}

/**
 * Reads a PHC string `$scrypt$ln=..,r=..,p=..$SALT$HASH`.
 *
 * @throws UnusablePasswordError when it is malformed or its parameters are out of bounds.
 */
export function parseScrypt(text: string): PasswordHash {
  const [, ln, r, p, salt, hash] = FORMAT.exec(text) ?? [];
  if (ln === undefined || salt === undefined || hash === undefined) {
    throw new UnusablePasswordError("the scrypt hash is malformed; write $scrypt$ln=15,r=8,p=1$SALT$HASH");
  }
  const parameters = { ln: Number(ln), r: Number(r), p: Number(p) };
  const blocks = 2 ** parameters.ln * parameters.r;
  if (128 * blocks > MAX_MEMORY || blocks * parameters.p > MAX_BLOCKS) {
    throw new UnusablePasswordError("the scrypt hash asks for too much work; ln=17,r=8,p=4 is the most");
  }
  if (parameters.ln >= 16 * parameters.r) {
    throw new UnusablePasswordError(
      "the scrypt hash has a cost that its block size does not allow (RFC 7914 section 2)",
    );
  }
  return scryptHash(parameters, decode(salt, "salt", 8), decode(hash, "hash", 16));
}

function scryptHash(parameters: ScryptParameters, salt: Buffer, hash: Buffer): PasswordHash {
  return {
    work: `scrypt ${describe(parameters)}`,
    matches: (password, threads) =>
      threads.matches({ scrypt: [password, salt, hash.length, optionsOf(parameters)], expected: hash }),
    decoy: () => scryptHash(parameters, randomBytes(SALT_BYTES), randomBytes(HASH_BYTES)),
  };
}

function optionsOf({ ln, r, p }: ScryptParameters): ScryptOptions {
  const N = 2 ** ln;
  return { N, r, p, maxmem: 128 * r * (N + p + 2) + 4096 };
}

function decode(base64: string, name: string, minBytes: number): Buffer {
  const bytes = Buffer.from(base64, "base64");
  if (unpadded(bytes) !== base64 || bytes.length < minBytes || bytes.length > 64) {
    throw new UnusablePasswordError(`the ${name} of the scrypt hash is not base64 of ${minBytes} to 64 bytes`);
  }
  return bytes;
}

function describe({ ln, r, p }: ScryptParameters): string {
  return `ln=${ln},r=${r},p=${p}`;
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}
