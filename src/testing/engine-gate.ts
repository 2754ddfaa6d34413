import type { EngineReply, EngineRequest } from "../core/engine/transport.ts";
import { objectWith, requireArgument } from "../core/options.ts";
import type { EngineBus, EngineHandler } from "../engine/serve.ts";

/**
 * Stands between an engine and its bus and lets a test decide what happens to requests: with `hold` they wait until
 * `release`, with `replyWith` they never reach the engine.
 */
export class EngineGate implements EngineBus {
  /** All requests that came, in order. */
  readonly seen: EngineRequest[] = [];
  readonly #bus: EngineBus;
  #scripted: ((request: EngineRequest) => EngineReply) | undefined;
  #held: Promise<void> | undefined;
  #open = (): void => {};

  constructor(bus: EngineBus) {
    requireArgument("EngineGate", "bus", bus, objectWith("listen", "new InProcessBus()"));
    this.#bus = bus;
  }

  listen(handler: EngineHandler): void | Promise<void> {
    return this.#bus.listen(async (request) => {
      this.seen.push(request);
      if (this.#held) await this.#held;
      return this.#scripted?.(request) ?? handler(request);
    });
  }

  /** Lets requests wait, as an engine does that hangs. */
  hold(): void {
    this.#held = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  /** Forwards the requests that wait to the engine, and those that come after them. */
  release(): void {
    this.#held = undefined;
    this.#open();
  }

  /** Replies in the engine's place; `undefined` lets the engine reply again. */
  replyWith(scripted: ((request: EngineRequest) => EngineReply) | undefined): void {
    this.#scripted = scripted;
  }
}
