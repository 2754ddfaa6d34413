/** How long to wait before the next attempt to connect. */
export interface BackoffOptions {
  /** Longest wait before the first new attempt, in milliseconds; it doubles with every attempt. */
  readonly initialMs: number;
  /** Longest wait before any attempt, in milliseconds. */
  readonly maxMs: number;
}

export const DEFAULT_BACKOFF: BackoffOptions = { initialMs: 100, maxMs: 2_000 };

/** Exponential backoff with full jitter, so that many gateways do not come back to a restarted engine at one moment. */
export class Backoff {
  readonly #options: BackoffOptions;
  #attempts = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  /** Milliseconds to wait now. */
  next(): number {
    const { initialMs, maxMs } = this.#options;
    const longest = Math.min(maxMs, initialMs * 2 ** this.#attempts);
    this.#attempts += 1;
    return Math.random() * longest;
  }

  reset(): void {
    this.#attempts = 0;
  }
}
