import type { Clock } from "../core/clock.ts";
import {
  type EngineExchange,
  type EngineReply,
  type EngineRequest,
  type EngineTransport,
  type LinkState,
  TransportError,
} from "../core/engine/transport.ts";
import type { Logger } from "../core/logger.ts";
import type { FaultKind, FaultScript } from "./faults.ts";

const GARBAGE: EngineReply = { ok: true, result: "\u0000garbage" };

/** A transport on which requests go wrong as a script says. Without a fault it adds nothing. */
export class FaultyTransport implements EngineTransport {
  readonly sent: EngineRequest[] = [];
  readonly #inner: EngineTransport;
  readonly #script: FaultScript;
  readonly #clock: Clock;

  constructor(inner: EngineTransport, script: FaultScript, clock: Clock) {
    this.#inner = inner;
    this.#script = script;
    this.#clock = clock;
  }

  get state(): LinkState {
    return this.#inner.state;
  }

  get knowsClock(): boolean {
    return this.#inner.knowsClock !== false;
  }

  start(log?: Logger): Promise<void> {
    return this.#inner.start(log);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  exchange(request: EngineRequest): EngineExchange {
    const fault = this.#script.take(request);
    return fault ? this.#faulty(fault, request) : this.#send(request);
  }

  #send(request: EngineRequest): EngineExchange {
    const exchange = this.#inner.exchange(request);
    this.sent.push(request);
    return exchange;
  }

  #faulty(fault: FaultKind, request: EngineRequest): EngineExchange {
    switch (fault.kind) {
      case "overload":
        throw new TransportError("overloaded", "Fault: the bus is overloaded", { sent: false });
      case "unavailable":
      case "cut-before":
        throw new TransportError("unavailable", "Fault: the link is cut before sending", { sent: false });
      case "drop":
        return this.#replyWith(request, new Promise(() => {}));
      case "reject":
        return this.#replyWith(request, Promise.resolve({ ok: false, refusal: "rejected", message: fault.message }));
      case "delay":
        return this.#replyWith(request, this.#delayed(request, fault.ms));
      default:
        return this.#changed(fault, request);
    }
  }

  /** Replies in the engine's place. */
  #replyWith(request: EngineRequest, reply: EngineExchange["reply"]): EngineExchange {
    this.sent.push(request);
    return { reply, abandon: () => {} };
  }

  async #delayed(request: EngineRequest, ms: number): Promise<EngineReply> {
    const { timeLeft } = request.context;
    await this.#pass(ms);
    // The time on the way is part of what was left.
    const context = { ...request.context, timeLeft: timeLeft === undefined ? undefined : timeLeft - ms };
    return this.#inner.exchange({ ...request, context }).reply;
  }

  /** Changes how the engine's reply reaches the caller. */
  #changed(fault: FaultKind, request: EngineRequest): EngineExchange {
    const exchange = this.#send(request);
    switch (fault.kind) {
      case "late":
        return { ...exchange, reply: this.#late(request, exchange.reply, fault.ms ?? 0), abandon: () => {} };
      case "twice":
        return { reply: new TwicePromise((resolve) => resolve(exchange.reply)), abandon: () => exchange.abandon() };
      case "cut-after":
        return { reply: lost(exchange.reply), abandon: () => {} };
      default:
        return { reply: garbled(exchange.reply), abandon: () => exchange.abandon() };
    }
  }

  async #late({ context }: EngineRequest, reply: EngineExchange["reply"], ms: number): Promise<EngineReply> {
    const received = await reply;
    await this.#pass(context.deadline - this.#clock.now() + ms);
    return received;
  }

  /** Ends in another turn of the event loop, as a message from a network does: what else is due has happened by then. */
  #pass(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#clock.schedule(ms, () => setImmediate(resolve)));
  }
}

async function lost(reply: EngineExchange["reply"]): Promise<EngineReply> {
  await reply;
  throw new TransportError("unavailable", "Fault: the link is cut after sending", { sent: true });
}

async function garbled(reply: EngineExchange["reply"]): Promise<EngineReply> {
  await reply;
  return GARBAGE;
}

/** Calls those who wait for its value twice. */
class TwicePromise<T> extends Promise<T> {
  // biome-ignore lint/suspicious/noThenProperty: a promise that behaves as a wire that repeats itself
  override then<A = T, B = never>(
    onValue?: ((value: T) => A | PromiseLike<A>) | null,
    onError?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    const first = super.then(onValue, onError);
    if (onValue) void super.then(onValue, () => {});
    return first;
  }

  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }
}
