import { randomBytes } from "node:crypto";
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
/** Hashes of other kinds, and secrets that are encrypted for other programs. */
const FOREIGN: readonly RegExp[] = [
  // crypt: $argon2id$v=19$..., $6$..., $apr1$...
  /^\$[A-Za-z0-9-]{1,32}\$.*\$/,
  // phpass and its relatives: $P$..., $S$...
  /^\$[A-Za-z0-9-]{1,32}\$[./A-Za-z0-9+=]{20,}$/,
  // Django and Werkzeug: pbkdf2_sha256$..., scrypt:32768:8:1$...; PostgreSQL: SCRAM-SHA-256$...
  /^(?:argon2|bcrypt|crypt|md5|pbkdf2|scram|scrypt|sha\d+)[\w:-]*\$.*\$/i,
  // MySQL and PostgreSQL
  /^\*[0-9A-F]{40}$/,
  /^md5[0-9a-f]{32}$/,
  // Jasypt
  /^ENC\(.*\)$/,
];

/** Prefix of Spring Security's DelegatingPasswordEncoder, which names the encoder of the rest. */
const ENCODER = /^\{([^{}]*)\}/;

/**
 * Reads the text of a `<password>` in one of its forms: `$scrypt$...`, bcrypt, `EV` and hex, plain text (decision D-UAC 2), the second with
 * `{bcrypt}` and the last with `{noop}` in front, as Spring writes them (D-UAC 16).
 * White space around a hash does not count; around plain text it does.
 *
 * @throws UnusablePasswordError for an empty password (decision D-UAC 1), a malformed or foreign hash (D-UAC 8), a mangled password
 * that cannot be decoded.
 */
export function readPassword(text: string): PasswordReading {
  const trimmed = text.trim();
  if (trimmed === "") throw new UnusablePasswordError("the password is empty");
  const encoder = ENCODER.exec(trimmed);
  if (encoder) return readEncoded(encoder[1] ?? "", text.trimStart().slice(encoder[0].length));
  if (trimmed.startsWith("$scrypt$")) return { password: { kind: "hash", hash: parseScrypt(trimmed) } };
  if (/^\$2[aby]\$/.test(trimmed)) return readBcrypt(trimmed);
  if (FOREIGN.some((form) => form.test(trimmed))) {
    throw new UnusablePasswordError(
      `the password looks like a hash of a kind that is not supported; ${ADVICE}, or write {noop} in front if it is the password itself`,
    );
  }
  const mangled = MANGLED.exec(trimmed)?.[1];
  return mangled === undefined ? readPlainText(text) : readMangled(mangled);
}

function readEncoded(encoder: string, text: string): PasswordReading {
  if (encoder === "bcrypt") return readBcrypt(text.trim());
  if (encoder !== "noop") {
    throw new UnusablePasswordError(
      `the password begins with braces, as what an encoder made, and only {bcrypt} and {noop} are supported; ${ADVICE}, ` +
        "or write {noop} in front if it is the password itself",
    );
  }
  if (text === "") throw new UnusablePasswordError("the password behind {noop} is empty");
  return readPlainText(text);
}

function readBcrypt(text: string): PasswordReading {
  return { password: { kind: "hash", hash: parseBcrypt(text) } };
}

function readMangled(hex: string): PasswordReading {
  const decoded = unmangle(hex);
  if (decoded === undefined) {
    throw new UnusablePasswordError(`the password starts with EV and cannot be decoded; ${ADVICE}`);
  }
  if (decoded === "") throw new UnusablePasswordError("the password is empty once it is decoded");
  return fromText(decoded, `the password is only obfuscated (EV...), anyone can decode it; ${ADVICE}`);
}

/** Lengths of MD5, SHA-1, SHA-256 and SHA-512 in hexadecimal digits, which generated passwords have as well. */
const DIGEST = /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})$/i;

function readPlainText(text: string): PasswordReading {
  const remarks = [
    ...(text.startsWith("EV") ? ["EV is not followed by a mangled password and is read as a part of it"] : []),
    ...(DIGEST.test(text.trim()) ? ["if it is a digest, the digest itself is now the password"] : []),
    ...(text !== text.trim() ? ["the white space around it counts"] : []),
    ADVICE,
  ];
  return fromText(text, `the password is plain text; ${remarks.join("; ")}`);
}

function fromText(text: string, warning: string): PasswordReading {
  return { password: { kind: "text", digest: digestText(text) }, warning };
}

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
function parseBcrypt(text: string): PasswordHash {
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
