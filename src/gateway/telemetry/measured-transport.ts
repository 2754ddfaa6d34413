import type { Registry } from "prom-client";
import type { EngineExchange, EngineRequest, EngineTransport, LinkState } from "../../core/engine/transport.ts";
import { type BusMethod, busMethods } from "../../core/operations/table.ts";
import { durationsBy } from "./metrics.ts";

/** A transport that times its exchanges, by operation. */
export class MeasuredTransport implements EngineTransport {
  readonly #transport: EngineTransport;
  readonly #ended: (method: BusMethod, milliseconds: number) => void;

  constructor(transport: EngineTransport, registry: Registry) {
    this.#transport = transport;
    this.#ended = durationsBy(registry, {
      name: "trading_admin_engine_duration_seconds",
      help: "Time that the engine took to reply; an exchange without a response counts with the time until it was given up.",
      label: "operation",
      values: busMethods,
    });
  }

  get state(): LinkState {
    return this.#transport.state;
  }

  get knowsClock(): boolean {
    return this.#transport.knowsClock !== false;
  }

  start(): Promise<void> {
    return this.#transport.start();
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  exchange(request: EngineRequest): EngineExchange {
    const startedAt = performance.now();
    const exchange = this.#transport.exchange(request);
    let open = true;
    const end = (): void => {
      if (open) this.#ended(request.method, performance.now() - startedAt);
      open = false;
    };
    exchange.reply.then(end, end);
    return {
      reply: exchange.reply,
      contradicted: (report) => exchange.contradicted?.(report),
      abandon() {
        end();
        exchange.abandon();
      },
    };
  }
}
