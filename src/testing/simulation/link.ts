import { decodeReply } from "../../../transports/json-rpc/replies.ts";
import { encodeRequest } from "../../../transports/json-rpc/requests.ts";
import type { EngineClock } from "../../../transports/link/engine-clock.ts";
import {
  type EngineExchange,
  type EngineReply,
  type EngineRequest,
  type EngineTransport,
  type LinkState,
  TransportError,
} from "../../core/engine/transport.ts";
import type { Chance } from "../../engine/simulated/random.ts";
import { gatewayName, type Journal, type LinkName } from "./journal.ts";
import type { Plan } from "./plan.ts";
import type { Process } from "./process.ts";
import type { Timeline } from "./timeline.ts";

/** One direction of a connection: what is sent comes out later and in its order, or is lost with the connection. */
class Pipe {
  readonly #timeline: Timeline;
  readonly #random: Chance;
  readonly #deliver: (text: string) => void;
  readonly #queue: { readonly due: number; readonly text: string }[] = [];
  #lastDue = 0;
  #isFrozen = false;

  constructor(timeline: Timeline, random: Chance, deliver: (text: string) => void) {
    this.#timeline = timeline;
    this.#random = random;
    this.#deliver = deliver;
  }

  send(text: string): void {
    const latency = this.#random.chance(0.1) ? this.#random.between(1, 80) : this.#random.between(0.1, 2);
    this.#lastDue = Math.max(this.#lastDue, this.#timeline.now + latency);
    this.#queue.push({ due: this.#lastDue, text });
    this.#timeline.at(this.#lastDue, () => this.#next());
  }

  freeze(): void {
    this.#isFrozen = true;
  }

  thaw(): void {
    this.#isFrozen = false;
    const { now } = this.#timeline;
    for (const { due } of this.#queue) if (due <= now) this.#timeline.at(now, () => this.#next());
  }

  cut(): void {
    this.#queue.length = 0;
  }

  #next(): void {
    const [first] = this.#queue;
    if (!first || this.#isFrozen || first.due > this.#timeline.now) return;
    this.#queue.shift();
    this.#deliver(first.text);
  }
}

/** A connection from a gateway in the direction of the engine. */
export class Way {
  readonly toEngine: Pipe;
  readonly toGateway: Pipe;
  isFrozen = false;

  constructor(timeline: Timeline, random: Chance, ends: { engine(text: string): void; gateway(text: string): void }) {
    this.toEngine = new Pipe(timeline, random, ends.engine);
    this.toGateway = new Pipe(timeline, random, ends.gateway);
  }

  freeze(): void {
    this.isFrozen = true;
    this.toEngine.freeze();
    this.toGateway.freeze();
  }

  thaw(): void {
    this.isFrozen = false;
    this.toEngine.thaw();
    this.toGateway.thaw();
  }

  cut(): void {
    this.toEngine.cut();
    this.toGateway.cut();
  }
}

/** The engine's end, as links see it. */
export interface FarEnd {
  readonly isUp: boolean;
  /** A request has come; `reply` sends a text back. */
  receive(text: string, reply: (text: string) => void): void;
}

export interface SimulatedLinkOptions {
  readonly timeline: Timeline;
  readonly random: Chance;
  readonly process: Process;
  readonly wire: Plan["wire"];
  readonly engineClock: EngineClock;
  readonly engine: FarEnd;
  readonly journal: Journal;
  readonly gateway: number;
  readonly lane: LinkName;
}

interface Waiter {
  readonly sentAt: number;
  readonly resolve: (reply: EngineReply) => void;
  readonly reject: (error: TransportError) => void;
}

/** How soon a connection on which nothing comes any more is given up, and how long a new one takes. */
const SILENCE_MS = [4_000, 8_000] as const;
const CONNECT_MS = [2, 2_000] as const;
/** Slower replies tell nothing of the engine's clock (docs/engine/bus.md, "Clocks"). */
const QUICK_MS = 1_000;

/**
 * The gateway's end of a link without sockets. As over WebSocket, a lost connection takes along what was sent in it; or as over NATS,
 * where requests stay in the node that hangs, and replies come over whatever connection there is then.
 */
export class SimulatedLink implements EngineTransport {
  readonly #options: SimulatedLinkOptions;
  readonly #waiters = new Map<number, Waiter>();
  #way: Way | undefined;
  #lastId = 0;
  #isClosed = false;
  #isUpAgain = (): void => {};

  constructor(options: SimulatedLinkOptions) {
    this.#options = options;
  }

  get state(): LinkState {
    return this.#way ? "up" : "down";
  }

  get knowsClock(): boolean {
    return this.#options.engineClock.isKnown;
  }

  async start(): Promise<void> {
    this.#noteDown();
    this.#connect();
  }

  exchange(request: EngineRequest): EngineExchange {
    const { engineClock, journal } = this.#options;
    const way = this.#way;
    if (!way) throw new TransportError("unavailable", "There is no connection", { sent: false });
    this.#lastId += 1;
    const id = this.#lastId;
    const text = encodeRequest(id, request, engineClock);
    const reply = new Promise<EngineReply>((resolve, reject) =>
      this.#waiters.set(id, { sentAt: engineClock.moment(), resolve, reject }),
    );
    journal.sent(request);
    way.toEngine.send(text);
    return { reply, abandon: () => void this.#waiters.delete(id) };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#way = undefined;
    this.#failAll();
  }

  /** The connection carries nothing for a while, as when a node or a route is stopped; it is given up when that lasts. */
  freeze(ms: number): void {
    const { timeline, random, process } = this.#options;
    const way = this.#way;
    if (!way || way.isFrozen) return;
    way.freeze();
    timeline.after(ms, () => way.thaw());
    process.clock.schedule(random.between(...SILENCE_MS), () => {
      if (way.isFrozen) this.#lose(way);
    });
  }

  /** The connection breaks; what is in it is lost. */
  cut(): void {
    const way = this.#way;
    way?.cut();
    if (way) this.#options.process.run(() => this.#lose(way));
  }

  #connect(): void {
    const { timeline, random, process, engine, wire } = this.#options;
    process.clock.schedule(random.between(...CONNECT_MS), () => {
      if (this.#isClosed) return;
      if (wire === "websocket" && !engine.isUp) {
        this.#connect();
        return;
      }
      const way: Way = new Way(timeline, random, {
        engine: (text) => engine.receive(text, (reply) => this.#wayBack(way)?.toGateway.send(reply)),
        gateway: (text) => process.run(() => this.#receive(way, text)),
      });
      this.#way = way;
      if (wire === "websocket") this.#options.engineClock.doubt();
      this.#isUpAgain();
    });
  }

  #noteDown(): void {
    const { journal, gateway, lane } = this.#options;
    const text = `${gatewayName(gateway)} has no link for ${lane}`;
    this.#isUpAgain = journal.trouble(`${lane} down`, gateway, text);
  }

  #wayBack(way: Way): Way | undefined {
    return this.#options.wire === "nats" ? this.#way : way;
  }

  #lose(way: Way): void {
    if (this.#way !== way) return;
    const { wire } = this.#options;
    this.#way = undefined;
    this.#noteDown();
    if (wire === "websocket") this.#failAll();
    this.#connect();
  }

  #failAll(): void {
    const lost = [...this.#waiters.values()];
    this.#waiters.clear();
    for (const { reject } of lost) reject(new TransportError("unavailable", "The connection was lost", { sent: true }));
  }

  #receive(way: Way, text: string): void {
    if (way !== this.#way) return;
    const message = JSON.parse(text) as { readonly id: number; readonly noResponders?: true };
    const waiter = this.#waiters.get(message.id);
    this.#waiters.delete(message.id);
    if (!waiter) return;
    if (message.noResponders) {
      this.#options.engineClock.doubt();
      waiter.reject(new TransportError("unavailable", "No engine listens", { sent: false }));
      return;
    }
    const reply = decodeReply(message);
    if (reply?.now !== undefined) this.#learn(waiter, reply.now, reply.clock);
    if (reply) waiter.resolve(reply);
    else waiter.reject(new TransportError("protocol", "The reply makes no sense", { sent: true }));
  }

  #learn({ sentAt }: Waiter, now: number, clock: string | undefined): void {
    const { engineClock, journal, gateway } = this.#options;
    engineClock.replied(sentAt, now, clock);
    if (engineClock.moment() - sentAt <= QUICK_MS) journal.heard(gateway, clock);
  }
}
