import { type Clock, systemClock } from "../src/core/clock.ts";
import {
  type EngineExchange,
  type EngineReply,
  type EngineRequest,
  type EngineTransport,
  type LinkState,
  TransportError,
} from "../src/core/transport.ts";
import type { EngineBus, EngineHandler } from "../src/engine/serve.ts";

/** Limits of an {@link InProcessBus}. */
export interface InProcessBusOptions {
  /** Requests that may wait for the engine at once; further ones are refused as overload. */
  readonly capacity?: number;
  /** Requests that may wait beyond `capacity` when they stop something. */
  readonly stopReserve?: number;
  readonly clock?: Clock;
}

/** A request on the bus. */
class Entry implements EngineExchange {
  readonly request: EngineRequest;
  readonly reply: Promise<EngineReply>;
  delivered = false;
  resolve!: (reply: EngineReply) => void;
  reject!: (error: TransportError) => void;
  readonly #unanswered: Set<Entry>;

  constructor(request: EngineRequest, unanswered: Set<Entry>) {
    this.request = request;
    this.#unanswered = unanswered;
    this.reply = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  abandon(): void {
    this.#unanswered.delete(this);
  }
}

/**
 * A bus within one process: the gateway's end is the {@link EngineTransport} itself, the engine's end is
 * {@link InProcessBus.listen}. Its queue is bounded; mutations are delivered before reads, each kind in its own order.
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
  #handler: EngineHandler | undefined;
  #mutations: Entry[] = [];
  #reads: Entry[] = [];
  #drainScheduled = false;
  readonly #unanswered = new Set<Entry>();

  constructor(options: InProcessBusOptions = {}) {
    this.#capacity = options.capacity ?? 512;
    this.#stopReserve = options.stopReserve ?? 64;
    this.#clock = options.clock ?? systemClock;
  }

  get state(): LinkState {
    return this.#handler ? "up" : "down";
  }

  /** Attaches the engine. */
  listen(handler: EngineHandler): void {
    this.#handler = handler;
  }

  /** Detaches the engine: requests that it has not answered are lost, new ones find the bus unavailable. */
  detach(): void {
    this.#handler = undefined;
    const lost = [...this.#unanswered];
    this.#unanswered.clear();
    this.#mutations = [];
    this.#reads = [];
    for (const { delivered, reject } of lost) {
      reject(new TransportError("unavailable", "The engine left the bus", { sent: delivered }));
    }
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.detach();
  }

  exchange(request: EngineRequest): EngineExchange {
    if (!this.#handler) throw new TransportError("unavailable", "No engine is on the bus", { sent: false });
    if (this.#isFull(request)) throw new TransportError("overloaded", "The queue of the bus is full", { sent: false });
    const entry = new Entry(request, this.#unanswered);
    this.#enqueue(entry);
    return entry;
  }

  #isFull({ lane }: EngineRequest): boolean {
    const limit = lane === "stop" ? this.#capacity + this.#stopReserve : this.#capacity;
    if (this.#unanswered.size < limit) return false;
    // Nobody waits for those past their deadline: they do not count.
    const now = this.#clock.now();
    let waiting = 0;
    for (const { request } of this.#unanswered) if (request.context.deadline > now) waiting += 1;
    return waiting >= limit;
  }

  #enqueue(entry: Entry): void {
    this.#unanswered.add(entry);
    (entry.request.lane === "read" ? this.#reads : this.#mutations).push(entry);
    if (this.#drainScheduled) return;
    this.#drainScheduled = true;
    queueMicrotask(() => this.#drain());
  }

  #drain(): void {
    this.#drainScheduled = false;
    const entries = [...this.#mutations, ...this.#reads];
    this.#mutations = [];
    this.#reads = [];
    for (const entry of entries) this.#deliver(entry);
  }

  #deliver(entry: Entry): void {
    if (!this.#handler || !this.#unanswered.has(entry)) return;
    entry.delivered = true;
    const reply = this.#handler(entry.request);
    if (reply instanceof Promise) void reply.then((answer) => this.#settle(entry, answer));
    else this.#settle(entry, reply);
  }

  #settle(entry: Entry, reply: EngineReply): void {
    if (this.#unanswered.delete(entry)) entry.resolve(reply);
  }
}
