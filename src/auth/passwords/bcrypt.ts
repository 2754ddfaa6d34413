import { randomBytes } from "node:crypto";
import { type PasswordHash, UnusablePasswordError } from "./password-hash.ts";

const FORMAT = /^\$2[aby]\$(\d\d)\$([./A-Za-z0-9]{53})$/;
const MIN_COST = 4;
/** Each step doubles the time; cost 16 takes seconds. */
const MAX_COST = 16;

/**
 * Reads a bcrypt hash with the prefix `$2a$`, `$2b$` or `$2y$` (decision D-UAC 2). Like any bcrypt it takes the first 72
 * bytes of a password into account.
 *
 * @throws UnusablePasswordError when it is malformed or its cost is out of bounds.
 */
export function parseBcrypt(text: string): PasswordHash {
  const [, cost, digest] = FORMAT.exec(text) ?? [];
  if (cost === undefined || digest === undefined) {
    throw new UnusablePasswordError("the bcrypt hash is malformed; it has 60 characters and starts with $2b$");
  }
  if (Number(cost) < MIN_COST || Number(cost) > MAX_COST) {
    throw new UnusablePasswordError(`the cost of the bcrypt hash is not within ${MIN_COST} and ${MAX_COST}`);
  }
  return bcryptHash(cost, digest);
}

/** The three prefixes mark old faults of other libraries, not another algorithm; the package refuses `$2y$`. */
function bcryptHash(cost: string, digest: string): PasswordHash {
  return {
    work: `bcrypt cost=${cost}`,
    matches: (password, threads) => threads.matches({ bcrypt: [password, `$2b$${cost}$${digest}`] }),
    decoy: () => bcryptHash(cost, randomDigest()),
  };
}

/** 53 characters that are base64 in bcrypt's alphabet, which has `.` for `+`. */
function randomDigest(): string {
  return randomBytes(40).toString("base64").replaceAll("+", ".").slice(0, 53);
}
