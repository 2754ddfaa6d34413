import { type EngineExchange, type EngineReply, TransportError } from "../../src/core/engine/transport.ts";
import type { Lane } from "../../src/core/operations/operation.ts";

/** What has been sent. */
export interface Sent {
  readonly subject: string;
  readonly lane: Lane;
  /** A moment of the {@link EngineClock}. */
  readonly sentAt: number;
}

/** A request whose reply is awaited. */
export interface Waiter extends Sent {
  readonly resolve: (reply: EngineReply) => void;
  readonly reject: (error: TransportError) => void;
}

/** Requests without a reply, by the token that their reply will carry; the oldest first. */
export class PendingRequests {
  readonly #waiters = new Map<string, Waiter>();

  add(token: string, sent: Sent): EngineExchange {
    const waiters = this.#waiters;
    const reply = new Promise<EngineReply>((resolve, reject) => waiters.set(token, { ...sent, resolve, reject }));
    return { reply, abandon: () => void waiters.delete(token) };
  }

  /** Removes and returns the request with a token. */
  take(token: string): Waiter | undefined {
    const waiter = this.#waiters.get(token);
    if (waiter) this.#waiters.delete(token);
    return waiter;
  }

  /**
   * Fails one request to a subject to which the server lets nothing pass. It does not say which one: with several, older
   * ones may have passed under other permissions, so that nothing is certain but for the last.
   */
  deny(subject: string): void {
    const [oldest, ...more] = [...this.#waiters].filter(([, waiter]) => waiter.subject === subject);
    if (!oldest) return;
    const [token, { reject }] = oldest;
    this.#waiters.delete(token);
    const message = `The NATS server does not let this user publish to ${subject}`;
    reject(new TransportError("unavailable", message, { sent: more.length > 0 }));
  }

  /** Fails all; they may have reached the engine. */
  failAll(message: string): void {
    const waiters = [...this.#waiters.values()];
    this.#waiters.clear();
    for (const { reject } of waiters) reject(new TransportError("unavailable", message, { sent: true }));
  }
}
