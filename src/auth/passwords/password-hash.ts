import { hash, timingSafeEqual } from "node:crypto";
import type { HashThreads } from "./hash-threads.ts";

/** A slow hash that a password can be checked against. */
export interface PasswordHash {
  /** Cost of one check, for example `scrypt ln=15,r=8,p=1`. Checks of equal work take equal time. */
  readonly work: string;
  /** Hashes `password` on one of the threads and compares in constant time. */
  matches(password: string, threads: HashThreads): Promise<boolean>;
  /** A hash of the same work that no password matches. */
  decoy(): PasswordHash;
}

/** A `<password>` that cannot be used; the message says why and never holds it. */
export class UnusablePasswordError extends Error {
  override readonly name = "UnusablePasswordError";
}

/** Digest of a secret that is stored as text; digests of any two texts have equal length. */
export function digestText(text: string): Buffer {
  return hash("sha256", text, "buffer");
}

/** Compares `text` with a digest of {@link digestText}, in constant time. */
export function matchesDigest(text: string, digest: Buffer): boolean {
  return timingSafeEqual(digestText(text), digest);
}
