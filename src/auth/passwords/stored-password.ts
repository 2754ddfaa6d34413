import { parseBcrypt } from "./bcrypt.ts";
import { unmangle } from "./mangled.ts";
import { digestText, type PasswordHash, UnusablePasswordError } from "./password-hash.ts";
import { parseScrypt } from "./scrypt.ts";

/** The password of a user, ready to be checked. */
export type StoredPassword =
  /** Plain or mangled text; only its digest is kept. */
  | { readonly kind: "text"; readonly digest: Buffer }
  | { readonly kind: "hash"; readonly hash: PasswordHash }
  /** No password is accepted. */
  | { readonly kind: "locked" };

/** A password that was read, and what its owner should know about it. */
export interface PasswordReading {
  readonly password: StoredPassword;
  readonly warning?: string;
}

const ADVICE = "replace it by the output of `trading-admin hash-password`";
/** Shortest text after `EV` that is taken for a mangled password: one cipher block. */
const MANGLED = /^EV([0-9A-Fa-f]{16,})$/;
/** Other hashes of the crypt family, such as `$argon2id$v=19$...` or `$6$...`. */
const FOREIGN_HASH = /^\$[A-Za-z0-9-]{1,32}\$.*\$/;

/**
 * Reads the text of a `<password>` in one of its forms: `$scrypt$...`, bcrypt, `EV` and hex, plain text (decision D-UAC 2).
 * White space around a hash does not count; around plain text it does.
 *
 * @throws UnusablePasswordError for an empty password (decision D-UAC 1), a malformed or foreign hash, a mangled password
 * that cannot be decoded.
 */
export function readPassword(text: string): PasswordReading {
  const trimmed = text.trim();
  if (trimmed === "") throw new UnusablePasswordError("the password is empty");
  if (trimmed.startsWith("$scrypt$")) return { password: { kind: "hash", hash: parseScrypt(trimmed) } };
  if (/^\$2[aby]\$/.test(trimmed)) return { password: { kind: "hash", hash: parseBcrypt(trimmed) } };
  if (FOREIGN_HASH.test(trimmed)) {
    throw new UnusablePasswordError(`the password looks like a hash of a kind that is not supported; ${ADVICE}`);
  }
  const mangled = MANGLED.exec(trimmed)?.[1];
  return mangled === undefined ? readPlainText(text) : readMangled(mangled);
}

function readMangled(hex: string): PasswordReading {
  const decoded = unmangle(hex);
  if (decoded === undefined) {
    throw new UnusablePasswordError(`the password starts with EV and cannot be decoded; ${ADVICE}`);
  }
  if (decoded === "") throw new UnusablePasswordError("the password is empty once it is decoded");
  return fromText(decoded, `the password is only obfuscated (EV...), anyone can decode it; ${ADVICE}`);
}

function readPlainText(text: string): PasswordReading {
  const remarks = [
    ...(text.startsWith("EV") ? ["EV is not followed by a mangled password and is read as a part of it"] : []),
    ...(text !== text.trim() ? ["the white space around it counts"] : []),
    ADVICE,
  ];
  return fromText(text, `the password is plain text; ${remarks.join("; ")}`);
}

function fromText(text: string, warning: string): PasswordReading {
  return { password: { kind: "text", digest: digestText(text) }, warning };
}
