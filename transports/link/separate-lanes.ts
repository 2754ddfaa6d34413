import type { EngineExchange, EngineRequest, EngineTransport, LinkState } from "../../src/core/engine/transport.ts";
import type { Logger } from "../../src/core/logger.ts";
import { objectWith, requireArgument } from "../../src/core/options.ts";

const LINK = objectWith("exchange", 'new WebSocketTransport({ url: "ws://127.0.0.1:8989" })');

/**
 * Two links to one engine, one of them for reads only: their replies may take megabytes and would delay everything behind them on the
 * same link (head-of-line blocking).
 *
 * @example
 * const link = { url: "ws://127.0.0.1:8989", gate, engineClock: new EngineClock((event) => log(event.message)) };
 * const transport = new SeparateLanes(new WebSocketTransport(link), new WebSocketTransport(link));
 * const api = new AdminApi({ transport, audit, gate });
 */
export class SeparateLanes implements EngineTransport {
  readonly #commands: EngineTransport;
  readonly #reads: EngineTransport;

  constructor(commands: EngineTransport, reads: EngineTransport) {
    for (const [name, link] of Object.entries({ commands, reads })) requireArgument("SeparateLanes", name, link, LINK);
    this.#commands = commands;
    this.#reads = reads;
  }

  /** `up` if both are. Each link works independently of the other. */
  get state(): LinkState {
    return this.#commands.state === "up" ? this.#reads.state : "down";
  }

  get knowsClock(): boolean {
    return this.#commands.knowsClock !== false;
  }

  async start(log?: Logger): Promise<void> {
    await Promise.all([this.#commands.start(log), this.#reads.start(log)]);
  }

  exchange(request: EngineRequest): EngineExchange {
    return (request.lane === "read" ? this.#reads : this.#commands).exchange(request);
  }

  async close(): Promise<void> {
    await Promise.all([this.#commands.close(), this.#reads.close()]);
  }
}
