import { X509Certificate } from "node:crypto";
import { functionLike, objectWith } from "../../src/core/options.ts";

/** Event of a link to an engine, for the host's log. Messages contain no secrets. */
export type LinkEvent =
  /** Requests can be sent from now on. */
  | { readonly kind: "up"; readonly message: string }
  /** Requests are refused from now on; `message` says why. */
  | { readonly kind: "down"; readonly message: string }
  /** The other end violated the contract, `count` times if there is one event for several. */
  | { readonly kind: "problem"; readonly message: string; readonly count?: number }
  /** The link is up, and no engine is found over it. Requests are sent all the same. */
  | { readonly kind: "gone"; readonly message: string }
  /** An engine is found again, or only one where there were several. */
  | { readonly kind: "here"; readonly message: string }
  /** Engines that do not share their state share the requests. */
  | { readonly kind: "split"; readonly message: string }
  /** The engine is a different process from before. */
  | { readonly kind: "restarted"; readonly message: string }
  /** A reply is nearly as large as the bus carries, or the bus carries less than the largest request. */
  | { readonly kind: "near-limit"; readonly message: string };

/** Delays between attempts to connect. */
export interface BackoffOptions {
  /** Longest wait before the first new attempt, in milliseconds; it doubles with every attempt. */
  readonly initialMs: number;
  /** Longest wait before any attempt, in milliseconds. */
  readonly maxMs: number;
}

export const DEFAULT_BACKOFF: BackoffOptions = { initialMs: 100, maxMs: 2_000 };

/** Exponential backoff with full jitter, so that many gateways do not reconnect to a restarted engine simultaneously. */
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

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Checks the certificates of authorities, PEM. Throws when one cannot be read: node:tls would silently trust none. */
export function checkAuthorities(ca: string | Buffer | undefined): void {
  if (ca === undefined) return;
  const certificates = ca.toString().match(CERTIFICATE);
  if (!certificates) throw new TypeError("there is no PEM certificate in the authorities (ca)");
  for (const certificate of certificates) new X509Certificate(certificate);
}

/** Requests that an engine's end handles concurrently, unless its host says otherwise, and stops beyond that. */
export const DEFAULT_MAX_IN_FLIGHT = 1_024;
export const DEFAULT_STOP_RESERVE = 64;

/** Bytes that a gateway's end buffers for sending, unless its host says otherwise, and bytes for stops beyond that. */
export const DEFAULT_MAX_BUFFERED_BYTES: number = 8 * 1024 * 1024;
export const STOP_RESERVE_BYTES: number = 1024 * 1024;

/** What links to the engine of every kind take. */
export const ON_EVENT = functionLike("({ message }) => console.warn(message)");
export const ENGINE_CLOCK = objectWith("isKnown", "new EngineClock(onEvent)");
export const ENGINE_WATCH = objectWith("found", "new EngineWatch(onEvent)");
