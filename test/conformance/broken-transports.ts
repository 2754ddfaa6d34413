import { EventEmitter } from "node:events";
import {
  type EngineExchange,
  type EngineReply,
  type EngineRequest,
  type EngineTransport,
  type LinkState,
  TransportError,
} from "../../src/core/engine/transport.ts";
import type { InProcessBus } from "../../transports/in-process.ts";

/** Passes everything on, as it should be; what is broken in a transport overrides it. */
class Passing implements EngineTransport {
  protected readonly bus: InProcessBus;

  constructor(bus: InProcessBus) {
    this.bus = bus;
  }

  get state(): LinkState {
    return this.bus.state;
  }

  start(): Promise<void> {
    return this.bus.start();
  }

  close(): Promise<void> {
    return this.bus.close();
  }

  exchange(request: EngineRequest): EngineExchange {
    return this.bus.exchange(request);
  }

  /** The exchange with another reply. */
  protected replying(
    request: EngineRequest,
    change: (reply: Promise<EngineReply>) => Promise<EngineReply>,
  ): EngineExchange {
    const exchange = this.bus.exchange(request);
    return { reply: change(Promise.resolve(exchange.reply)), abandon: () => exchange.abandon() };
  }
}

/** Takes answers for those of the oldest request. */
export class MixesUp extends Passing {
  readonly #waiting: ((reply: EngineReply) => void)[] = [];

  override exchange(request: EngineRequest): EngineExchange {
    return this.replying(
      request,
      (reply) =>
        new Promise((resolve, reject) => {
          this.#waiting.push(resolve);
          reply.then((answer) => this.#waiting.shift()?.(answer), reject);
        }),
    );
  }
}

/** Sends every request to the engine twice. */
export class SendsTwice extends Passing {
  override exchange(request: EngineRequest): EngineExchange {
    void Promise.resolve(this.bus.exchange(request).reply).catch(() => {});
    return this.bus.exchange(request);
  }
}

/** Asks again when the link comes back. */
export class Retries extends Passing {
  override exchange(request: EngineRequest): EngineExchange {
    return this.replying(request, (reply) => reply.catch(() => this.#again(request)));
  }

  async #again(request: EngineRequest): Promise<EngineReply> {
    while (this.bus.state === "down") await new Promise((resolve) => setTimeout(resolve, 1));
    return this.bus.exchange(request).reply;
  }
}

/** Says of every failure the same. */
export class SaysSent extends Passing {
  readonly #sent: boolean;

  constructor(bus: InProcessBus, sent: boolean) {
    super(bus);
    this.#sent = sent;
  }

  override exchange(request: EngineRequest): EngineExchange {
    try {
      return this.replying(request, (reply) =>
        reply.catch((error: unknown) => Promise.reject(this.#relabelled(error))),
      );
    } catch (error) {
      throw this.#relabelled(error);
    }
  }

  #relabelled(error: unknown): unknown {
    if (!(error instanceof TransportError)) return error;
    return new TransportError(error.fault, error.message, { sent: this.#sent, cause: error });
  }
}

/** Sends again what has had no reply for a while. */
export class SendsAgain extends Passing {
  override exchange(request: EngineRequest): EngineExchange {
    return this.replying(request, async (reply) => {
      const send = () => void Promise.resolve(this.bus.exchange(request).reply).catch(() => {});
      const again = setTimeout(send, 100);
      return reply.finally(() => clearTimeout(again));
    });
  }
}

/** Takes whatever comes for the reply to the oldest request. */
export class TakesStrays extends Passing {
  #oldest: ((reply: EngineReply) => void) | undefined;

  override exchange(request: EngineRequest): EngineExchange {
    const stray = new Promise<EngineReply>((resolve) => {
      this.#oldest ??= resolve;
    });
    return this.replying(request, (reply) => Promise.race([reply, stray]));
  }

  stray(text: string): void {
    this.#oldest?.({ ok: true, result: text });
  }
}

/** Loses every second answer. */
export class LosesAnswers extends Passing {
  #count = 0;

  override exchange(request: EngineRequest): EngineExchange {
    this.#count += 1;
    return this.#count % 2 === 0 ? this.replying(request, () => new Promise(() => {})) : this.bus.exchange(request);
  }
}

/** Gives up by itself when the deadline has passed. */
export class HasTimer extends Passing {
  override exchange(request: EngineRequest): EngineExchange {
    return this.replying(request, (reply) => {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        const error = new TransportError("unavailable", "too late", { sent: true });
        timer = setTimeout(() => reject(error), request.context.deadline - Date.now());
      });
      return Promise.race([reply, late]).finally(() => clearTimeout(timer));
    });
  }
}

/** Fails with an error that says nothing of whether the request was sent. */
export class ThrowsAnything extends Passing {
  override exchange(request: EngineRequest): EngineExchange {
    if (this.bus.state === "down") throw new Error("not connected");
    return this.bus.exchange(request);
  }
}

/** Claims to be connected. */
export class AlwaysUp extends Passing {
  override get state(): LinkState {
    return "up";
  }
}

/** Lets a few requests wait a moment, so that later ones overtake them. */
export class Reorders extends Passing {
  #count = 0;

  override exchange(request: EngineRequest): EngineExchange {
    this.#count += 1;
    if (this.#count % 7 !== 0) return this.bus.exchange(request);
    const reply = new Promise((resolve) => setTimeout(resolve, 2)).then(() => this.bus.exchange(request).reply);
    return { reply, abandon: () => {} };
  }
}

/** Leaves out what it has no field for. */
export class DropsTraceparent extends Passing {
  override exchange(request: EngineRequest): EngineExchange {
    const { user, requestId, deadline } = request.context;
    return this.bus.exchange({ ...request, context: { user, requestId, deadline } });
  }
}

/** Knows nothing of the time left. */
export class DropsTimeLeft extends Passing {
  override exchange(request: EngineRequest): EngineExchange {
    return this.bus.exchange({ ...request, context: { ...request.context, timeLeft: undefined } });
  }
}

/** Gives everybody more time. */
export class MovesDeadline extends Passing {
  override exchange(request: EngineRequest): EngineExchange {
    // Further than the kit lets a request be late.
    const context = { ...request.context, deadline: request.context.deadline + 7_200_000 };
    return this.bus.exchange({ ...request, context });
  }
}

/** Tells every refusal as a failure of the engine. */
export class BlursRefusals extends Passing {
  override exchange(request: EngineRequest): EngineExchange {
    return this.replying(request, async (reply) => {
      const answer = await reply;
      return answer.ok ? answer : { ...answer, refusal: "internal" };
    });
  }
}

/** Leaves those in the dark who wait when it is closed. */
export class ForgetsOnClose extends Passing {
  override exchange(request: EngineRequest): EngineExchange {
    return this.replying(request, (reply) => reply.catch(() => new Promise(() => {})));
  }
}

/** Keeps a timer for ever; `stop` is for the test. */
export class LeaksTimer extends Passing {
  readonly #timers: NodeJS.Timeout[];

  constructor(bus: InProcessBus, timers: NodeJS.Timeout[]) {
    super(bus);
    this.#timers = timers;
  }

  override start(): Promise<void> {
    this.#timers.push(setInterval(() => {}, 1_000));
    return super.start();
  }
}

/** Adds a listener to one emitter for each request. */
export class PilesUpListeners extends Passing {
  readonly #emitter = new EventEmitter();

  override exchange(request: EngineRequest): EngineExchange {
    return this.replying(request, (reply) => {
      const lose = (): void => {};
      this.#emitter.on("close", lose);
      return reply.finally(() => this.#emitter.off("close", lose));
    });
  }
}

/** Takes an engine that is unavailable for an error. */
export class FailsToStart extends Passing {
  override async start(): Promise<void> {
    await super.start();
    if (this.bus.state === "down") throw new TransportError("unavailable", "cannot connect", { sent: false });
  }
}

/** Counts abandoned requests as in progress for ever. */
export class KeepsPlaces extends Passing {
  #inProgress = 0;

  override exchange(request: EngineRequest): EngineExchange {
    if (this.#inProgress >= 1_000) throw new TransportError("overloaded", "no place is left", { sent: false });
    this.#inProgress += 1;
    let abandoned = false;
    const exchange = this.replying(request, (reply) =>
      reply.finally(() => {
        if (!abandoned) this.#inProgress -= 1;
      }),
    );
    const abandon = (): void => {
      abandoned = true;
      exchange.abandon();
    };
    return { reply: exchange.reply, abandon };
  }
}

/** Takes what is long for what is too long. */
export class CutsLong extends Passing {
  override exchange(request: EngineRequest): EngineExchange {
    return this.replying(request, async (reply) => {
      const answer = await reply;
      if (!answer.ok || !Array.isArray(answer.result)) return answer;
      return { ok: true, result: answer.result.slice(0, 1_000) };
    });
  }
}

/** Leaves the engine's end to think that all requests are alike. */
export class DropsLane extends Passing {
  override exchange(request: EngineRequest): EngineExchange {
    return this.bus.exchange({ ...request, lane: "read" });
  }
}

/** Has to be closed just once. */
export class ClosesOnce extends Passing {
  #closed = false;

  override async close(): Promise<void> {
    if (this.#closed) throw new Error("closed already");
    this.#closed = true;
    await super.close();
  }
}
