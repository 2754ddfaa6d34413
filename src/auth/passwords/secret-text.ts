import { hash, timingSafeEqual } from "node:crypto";

/** Digest of a secret that is stored as text; digests of any two texts have equal length. */
export function digestText(text: string): Buffer {
  return hash("sha256", text, "buffer");
}

/** Compares `text` with a digest of {@link digestText}, in constant time. */
export function matchesDigest(text: string, digest: Buffer): boolean {
  return timingSafeEqual(digestText(text), digest);
}
