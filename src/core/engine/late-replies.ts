import type { Clock } from "../clock.ts";
import { BoundedMap } from "../values/bounded-map.ts";
import type { EngineExchange, EngineReply } from "./transport.ts";

/** How long, and for how many mutations, replies are accepted after the deadline. */
const WINDOW_MS = 3_600_000;
const CAPACITY = 1_000;

/** Receives the reply to a mutation whose caller was already told that the outcome is unknown. */
export type OnLateReply = (reply: EngineReply) => void;

/** Mutations past their deadline whose replies may still arrive (decision D-ENG 10). Bounded in number and time. */
export class LateReplies {
  readonly #clock: Clock;
  /** Cancel functions of the timers by exchange, oldest first. */
  readonly #awaited = new BoundedMap<EngineExchange, () => void>(CAPACITY);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `onLate` if the reply arrives within the window. */
  await(exchange: EngineExchange, onLate: OnLateReply): void {
    const cancel = this.#clock.schedule(WINDOW_MS, () => this.#forget(exchange));
    const [oldest, cancelOldest] = this.#awaited.setNewest(exchange, cancel) ?? [];
    cancelOldest?.();
    oldest?.abandon();
    exchange.reply.then(
      (late) => {
        if (this.#remove(exchange)) onLate(late);
      },
      () => this.#remove(exchange),
    );
  }

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
