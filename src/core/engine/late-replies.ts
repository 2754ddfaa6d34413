import type { Clock } from "../clock.ts";
import type { EngineExchange, EngineReply } from "./transport.ts";

/** How long after its deadline a reply to a mutation is still waited for, and for how many of them. */
const WINDOW_MS = 60_000;
const CAPACITY = 1_000;

/** Receives the reply to a mutation that came after its caller was told that the outcome is unknown. */
export type OnLateReply = (reply: EngineReply) => void;

/** Mutations past their deadline whose replies may still arrive (decision D-ENG 10). Bounded in number and time. */
export class LateReplies {
  readonly #clock: Clock;
  /** By exchange, how to stop its timer; the oldest first. */
  readonly #awaited = new Map<EngineExchange, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `onLate` with the reply if it comes in time. */
  await(exchange: EngineExchange, reply: Promise<EngineReply>, onLate: OnLateReply): void {
    this.#awaited.set(
      exchange,
      this.#clock.schedule(WINDOW_MS, () => this.#forget(exchange)),
    );
    const [oldest] = this.#awaited.keys();
    if (oldest && this.#awaited.size > CAPACITY) this.#forget(oldest);
    reply.then(
      (late) => {
        if (this.#remove(exchange)) onLate(late);
      },
      () => this.#remove(exchange),
    );
  }

  /** Stops waiting for all of them. */
  close(): void {
    for (const exchange of [...this.#awaited.keys()]) this.#forget(exchange);
  }

  #forget(exchange: EngineExchange): void {
    this.#remove(exchange);
    exchange.abandon();
  }

  #remove(exchange: EngineExchange): boolean {
    this.#awaited.get(exchange)?.();
    return this.#awaited.delete(exchange);
  }
}
