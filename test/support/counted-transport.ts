import type { EngineExchange, EngineRequest, EngineTransport, LinkState } from "../../src/core/engine/transport.ts";
import { until } from "./until.ts";

/** Passes everything on to a transport, and knows when all responses have come. */
export class CountedTransport implements EngineTransport {
  readonly #inner: EngineTransport;
  readonly #awaited = new Set<EngineExchange>();

  constructor(inner: EngineTransport) {
    this.#inner = inner;
  }

  get state(): LinkState {
    return this.#inner.state;
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  exchange(request: EngineRequest): EngineExchange {
    const exchange = this.#inner.exchange(request);
    const { reply } = exchange;
    this.#awaited.add(exchange);
    const settled = (): void => void this.#awaited.delete(exchange);
    reply.then(settled, settled);
    const abandon = (): void => {
      settled();
      exchange.abandon();
    };
    return { reply, abandon };
  }

  /** Waits until no request is without its response. */
  async allAnswered(): Promise<void> {
    await until(() => this.#awaited.size === 0, "all answers have come");
  }
}
