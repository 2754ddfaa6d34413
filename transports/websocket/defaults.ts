/** Milliseconds between pings; two of them pass at most until a half-open link is noticed. */
export const DEFAULT_PING_INTERVAL_MS = 4_000;

/** Longest message that is read, in bytes: the replies with whole tables, and requests with a body of 1 MiB in its envelope. */
export const DEFAULT_MAX_REPLY_BYTES = 16 * 1024 * 1024;
export const DEFAULT_MAX_REQUEST_BYTES = 1024 * 1024 + 64 * 1024;

/** How long the other end may take to say goodbye. */
export const CLOSE_TIMEOUT_MS = 1_000;

/** Longer messages cost their sender a fault, those of this many times the limit the connection. */
const HARD_LIMIT_FACTOR = 4;

/** The `maxPayload` of ws, which counts in 32 bits. */
export function hardLimit(maxMessageBytes: number): number {
  return Math.min(maxMessageBytes * HARD_LIMIT_FACTOR, 2 ** 31 - 1);
}
