/**
 * The bus between an API and an engine in one process.
 *
 * "Specification" is `docs/specification.md` of this package.
 *
 * @module
 */
import { type Clock, monotonicMs, steadyClock, systemClock } from "../src/core/clock.ts";
import {
  arrived,
  type EngineExchange,
  type EngineReply,
  type EngineRequest,
  type EngineTransport,
  type LinkState,
  TransportError,
} from "../src/core/engine/transport.ts";
import { CLOCK, COUNT, ifGiven, optionsOf, RESERVE } from "../src/core/options.ts";
import type { EngineBus, EngineHandler } from "../src/engine/serve.ts";

/** Limits of an {@link InProcessBus}. */
export interface InProcessBusOptions {
  /** Requests that may be in flight concurrently; further ones are refused as overload; 512 unless given. */
  readonly capacity?: number;
  /** Requests that may wait beyond `capacity` when they stop something; 64 unless given. */
  readonly stopReserve?: number;
  /** Source of time; the machine's own unless given, `ManualClock` of the testing entry in tests. */
  readonly clock?: Clock;
}

const checked = optionsOf<InProcessBusOptions>("InProcessBus", {
  capacity: ifGiven(COUNT),
  stopReserve: ifGiven(RESERVE),
  clock: ifGiven(CLOCK),
});

class PendingExchange implements EngineExchange {
  readonly reply: Promise<EngineReply>;
  readonly deadline: number;
  lose!: (error: TransportError) => void;
  readonly #all: Set<PendingExchange>;

  constructor(reply: Promise<EngineReply>, deadline: number, all: Set<PendingExchange>) {
    this.deadline = deadline;
    this.#all = all;
    this.reply = new Promise((resolve, reject) => {
      this.lose = reject;
      reply.then(
        (reply) => {
          if (this.#all.delete(this)) resolve(reply);
        },
        (error: unknown) => {
          this.abandon();
          reject(error);
        },
      );
    });
    all.add(this);
  }

  abandon(): void {
    this.#all.delete(this);
  }
}

/**
 * A bus within one process: the gateway's end is the {@link EngineTransport} itself, the engine's end is
 * {@link InProcessBus.listen}. Requests reach the engine in the order in which they are sent; those that it replies to later
 * wait in a bounded queue.
 *
 * @example
 * const bus = new InProcessBus();
 * await serveEngine(engine, bus);
 * const api = new AdminApi({ transport: bus, audit });
 */
export class InProcessBus implements EngineTransport, EngineBus {
  readonly #capacity: number;
  readonly #stopReserve: number;
  readonly #clock: Clock;
  /** The time at zero of the monotonic clock. */
  readonly #origin: number;
  #handler: EngineHandler | undefined;
  readonly #pending = new Set<PendingExchange>();

  constructor(options: InProcessBusOptions = {}) {
    checked(options);
    this.#capacity = options.capacity ?? 512;
    this.#stopReserve = options.stopReserve ?? 64;
    this.#clock = steadyClock(options.clock ?? systemClock);
    this.#origin = this.#clock.now() - monotonicMs(this.#clock);
  }

  get state(): LinkState {
    return this.#handler ? "up" : "down";
  }

  /** Attaches the engine's end: `handler` gets every request from now on. `serveEngine` calls it. */
  listen(handler: EngineHandler): void {
    this.#handler = handler;
  }

  /** Detaches the engine: requests without a reply are lost, new ones find the bus unavailable. */
  detach(): void {
    this.#handler = undefined;
    const lost = [...this.#pending];
    this.#pending.clear();
    for (const request of lost) {
      request.lose(new TransportError("unavailable", "The engine left the bus", { sent: true }));
    }
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.detach();
  }

  exchange(request: EngineRequest): EngineExchange {
    if (!this.#handler) throw new TransportError("unavailable", "No engine is on the bus", { sent: false });
    if (this.#isFull(request)) throw new TransportError("overloaded", "The queue of the bus is full", { sent: false });
    const reply = this.#replied(request, this.#handler(arrived(this.#timed(request), this.#clock)));
    return new PendingExchange(reply, request.context.deadline, this.#pending);
  }

  /** Both ends have one clock, which nobody sets, as the engine's end judges by such a clock. */
  #timed(request: EngineRequest): EngineRequest {
    const { arrival, context } = request;
    if (arrival === undefined) return request;
    const { timeLeft } = context;
    const deadline = timeLeft === undefined ? context.deadline : this.#clock.now() + timeLeft;
    return { ...request, context: { ...context, deadline, arrived: this.#origin + arrival, arrivedWithin: 0 } };
  }

  /** Of reads nobody asks when they were replied to. */
  async #replied({ arrival }: EngineRequest, replying: Promise<EngineReply>): Promise<EngineReply> {
    const reply = await replying;
    return arrival === undefined ? reply : { ...reply, now: this.#clock.now() };
  }

  #isFull({ lane }: EngineRequest): boolean {
    const limit = lane === "stop" ? this.#capacity + this.#stopReserve : this.#capacity;
    if (this.#pending.size < limit) return false;
    // Requests past their deadline do not count: their callers have stopped waiting.
    const now = this.#clock.now();
    let waiting = 0;
    for (const { deadline } of this.#pending) if (deadline > now) waiting += 1;
    return waiting >= limit;
  }
}
