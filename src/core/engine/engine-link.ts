import { type Clock, monotonicMs, systemClock } from "../clock.ts";
import { AdminError, replyNotUnderstood } from "../errors.ts";
import type { Gate } from "../load/gate.ts";
import { LargeReplySlots } from "../load/large-reply-slots.ts";
import { Quota } from "../load/quota.ts";
import type { Lane } from "../operations/operation.ts";
import type { Operations } from "../operations/table.ts";
import type { Bounds } from "../options.ts";
import { within } from "../timeout.ts";
import { LateReplies, type OnLateReply } from "./late-replies.ts";
import {
  type EngineExchange,
  type EngineReply,
  type EngineTransport,
  TransportError,
  type UnsentRequest,
} from "./transport.ts";

/** How long a change waits for the read that tells the engine's clock, and how often one is sent while none tells it. */
const CLOCK_WAIT_MS = 500;
const CLOCK_PAUSE_MS = 5_000;

/** How many requests of each lane may be in flight concurrently. */
export type LaneCapacities = Readonly<Record<Lane, number>>;

export const CAPACITY_BOUNDS: Bounds = { min: 1, max: 1_000_000 };

/** Milliseconds that the engine may take for a reply. */
export const TIMEOUT_BOUNDS: Bounds = { min: 1, max: 3_600_000 };

/** Default capacities. Lanes do not share capacity. */
export const DEFAULT_CAPACITIES: LaneCapacities = { stop: 64, change: 64, read: 256 };

/** Default share of each lane for one user, so that a faulty script cannot exhaust a lane. */
export const DEFAULT_USER_SHARE = 0.5;

export const DEFAULT_LARGE_REPLIES = 8;

/** Current use of a lane. */
export interface LaneLoad {
  /** Requests in flight or waiting to be sent. */
  readonly inFlight: number;
  /** Requests that may be in flight concurrently; further ones get a 429. */
  readonly capacity: number;
}

export interface EngineLinkOptions {
  readonly transport: EngineTransport;
  readonly clock: Clock;
  /** Schedules the rejections of requests that have timed out, or were lost with the link. */
  readonly gate: Gate;
  readonly operations: Operations;
  /** Milliseconds within which the engine has to reply (specification, convention 6). */
  readonly timeoutMs: number;
  readonly capacities: LaneCapacities;
  /** Part of each lane that one user may have, above 0 and at most 1. */
  readonly userShare: number;
  /** Replies with many rows that may be in progress concurrently, from the request to the last row written. */
  readonly largeReplies: number;
  /** Called when a read has two replies that contradict each other. */
  readonly onReadContradicted?: (request: UnsentRequest) => void;
}

/** Whether the API uses the link. */
type Stage = "new" | "started" | "closed";

/** What its host has to do with it that there is no link. */
const WHY_UNAVAILABLE: Readonly<Record<Stage, string>> = {
  new: ": the API was not started, its host has to call api.start()",
  started: "",
  closed: ": the API was closed",
};

/** A caller that may leave before its read is sent. */
export interface MayLeave {
  readonly isDisconnected?: (() => boolean) | undefined;
}

type Use<T> = (reply: EngineReply) => T | Promise<T>;

/** Applies the deadline and the lane capacities. Never sends a request twice (decisions D-ENG 1, D-ENG 2). */
export class EngineLink {
  readonly #options: EngineLinkOptions;
  readonly #inFlight: Readonly<Record<Lane, Quota>>;
  readonly #slots: LargeReplySlots;
  readonly #late: LateReplies;
  /** The end of the latest read that was to tell the engine's clock, and when that was sent. */
  #clockRead: Promise<void> = Promise.resolve();
  #clockReadAt = Number.NEGATIVE_INFINITY;
  #stage: Stage = "new";
  /** Each fails a pending request. */
  readonly #failing = new Set<(error: unknown) => void>();

  constructor(options: EngineLinkOptions) {
    const { capacities, userShare } = options;
    const quota = (lane: Lane): Quota => new Quota(capacities[lane], Math.ceil(capacities[lane] * userShare));
    this.#options = options;
    this.#inFlight = { stop: quota("stop"), change: quota("change"), read: quota("read") };
    this.#slots = new LargeReplySlots(options.gate, options.operations, options.largeReplies);
    this.#late = new LateReplies(options.clock);
  }

  /** When the reply to a request is due whose time counts from a moment, which is now unless given; both are monotonic milliseconds. */
  due(from = monotonicMs(this.#options.clock)): number {
    return from + this.#options.timeoutMs;
  }

  load(lane: Lane): LaneLoad {
    const { taken, max } = this.#inFlight[lane];
    return { inFlight: taken, capacity: max };
  }

  /**
   * Sends a mutation and waits for the reply until its deadline. Throws {@link AdminError}: `ENGINE_OVERLOADED` and
   * `ENGINE_UNAVAILABLE` when it was not sent, `ENGINE_TIMEOUT` and `ENGINE_FAILED` when its outcome is unknown. `onLate` is called with a
   * reply after the deadline, `onContradiction` with a second reply that contradicts the first.
   */
  async send(request: UnsentRequest, onLate?: OnLateReply, onContradiction?: OnLateReply): Promise<EngineReply> {
    this.#checkCapacity(request);
    return this.#tracked(request, this.#exchange(request, onLate, onContradiction));
  }

  /**
   * Sends a read once a slot for its reply is free and returns the result of `use`, which holds the slot until it settles. Throws the
   * same errors. A large read whose caller has left is not sent.
   */
  async read<T>(request: UnsentRequest, use: Use<T>, caller?: MayLeave): Promise<T> {
    if (!this.#slots.expectsLarge(request)) return this.#readNow(request, use);
    const { user } = request.context;
    const slot = this.#slots.acquire(user);
    if (slot) await slot;
    try {
      if (caller?.isDisconnected?.())
        throw new AdminError("ENGINE_OVERLOADED", "The caller left before the read was sent");
      return await this.#readNow(request, use);
    } finally {
      this.#slots.release();
    }
  }

  #readNow<T>(request: UnsentRequest, use: Use<T>): Promise<T> {
    this.#checkCapacity(request);
    const used = this.#exchange(request).then((reply) => {
      if (reply.ok) this.#slots.learn(request, reply.result);
      return use(reply);
    });
    return this.#tracked(request, used);
  }

  /**
   * Lets a read find out the engine's clock; undefined where the transport knows it. Resolves when that has been tried: without it,
   * the receipt of a command counts at the engine, not its arrival here.
   */
  learnClock({ user, requestId }: Pick<UnsentRequest["context"], "user" | "requestId">): Promise<void> | undefined {
    const { transport, clock } = this.#options;
    if (transport.knowsClock !== false) return undefined;
    const now = monotonicMs(clock);
    if (now - this.#clockReadAt > CLOCK_PAUSE_MS) {
      this.#clockReadAt = now;
      this.#clockRead = this.#readClock(user, requestId);
    }
    return this.#clockRead;
  }

  async #readClock(user: string, requestId: string): Promise<void> {
    const { clock } = this.#options;
    // A frozen clock may not move until the command has been sent.
    const waiting = clock.every ? clock : systemClock;
    const context = { user, requestId };
    const input = { projectionPath: "" };
    const request = { method: "getTradingStatus", input, lane: "read", due: this.due(), context } as const;
    try {
      const read = this.read(request, () => {});
      await within(waiting, CLOCK_WAIT_MS, read, "The engine did not tell its clock in time");
      // What is known may be doubted soon again, as after a new link.
      if (this.#options.transport.knowsClock) this.#clockReadAt = Number.NEGATIVE_INFINITY;
    } catch (error) {
      // The command that comes next meets the same failure, and reports it; where nothing was sent, the one after it tries again.
      if (AdminError.from(error).code === "ENGINE_UNAVAILABLE") this.#clockReadAt = Number.NEGATIVE_INFINITY;
    }
  }

  #checkCapacity({ lane, context: { user } }: UnsentRequest): void {
    const inFlight = this.#inFlight[lane];
    if (inFlight.hasRoom(user)) return;
    const whose = inFlight.taken < inFlight.max ? ` of user "${user}"` : "";
    throw new AdminError("ENGINE_OVERLOADED", `Too many ${lane} operations${whose} are in progress; nothing was sent`);
  }

  /** Counts a request in its lane until its work settles. */
  #tracked<T>({ lane, context: { user } }: UnsentRequest, work: Promise<T>): Promise<T> {
    const inFlight = this.#inFlight[lane];
    inFlight.take(user);
    return work.finally(() => inFlight.release(user));
  }

  /** Notes that the transport is being started: an engine that is unreachable from now on is not the host's mistake. */
  start(): void {
    this.#stage = "started";
  }

  /** Fails what the closed transport has left pending, and stops waiting for late replies. */
  close(): void {
    this.#stage = "closed";
    const closed = new TransportError("unavailable", "The link is closed", { sent: true });
    for (const fail of this.#failing) fail(closed);
    this.#late.close();
  }

  /** Sends a request and waits for its reply until the deadline. */
  #exchange(
    request: UnsentRequest,
    onLate?: OnLateReply,
    onContradiction: OnLateReply = () => this.#options.onReadContradicted?.(request),
  ): Promise<EngineReply> {
    const { lane, due, context } = request;
    const { clock, gate } = this.#options;
    const exchange = this.#begin(request);
    exchange.contradicted?.(onContradiction);
    return new Promise((resolve, reject) => {
      const priority = lane === "stop" ? "stop" : "other";
      let waiting = true;
      /** Returns false if the wait has already ended. */
      const finish = (): boolean => {
        if (!waiting) return false;
        waiting = false;
        cancelTimer();
        this.#failing.delete(fail);
        return true;
      };
      // A link that is lost ends hundreds of requests together.
      const fail = (error: unknown): void => {
        if (finish()) void gate.reenter(context.user, priority).then(() => reject(failure(error, lane, this.#stage)));
      };
      const cancelTimer = gate.scheduleAfter(due - monotonicMs(clock), context.user, priority, () => {
        if (!finish()) return;
        if (onLate) this.#late.await(exchange, onLate);
        else exchange.abandon();
        reject(timeout(this.#options.timeoutMs));
      });
      this.#failing.add(fail);
      exchange.reply.then((reply) => finish() && resolve(reply), fail);
    });
  }

  #begin(request: UnsentRequest): EngineExchange {
    const { method, input, lane, arrival, due, context } = request;
    const { user, requestId, traceparent } = context;
    const { transport, clock } = this.#options;
    const timeLeft = Math.round(due - monotonicMs(clock));
    const times = { deadline: clock.now() + timeLeft, timeLeft, traceparent };
    try {
      return transport.exchange({ method, input, lane, arrival, context: { user, requestId, ...times } });
    } catch (error) {
      throw failure(error, lane, this.#stage);
    }
  }
}

function timeout(timeoutMs: number): AdminError {
  return new AdminError("ENGINE_TIMEOUT", `The engine did not respond within ${timeoutMs / 1000} seconds`);
}

/** Maps a failed exchange to an error; a mutation that was sent has an unknown outcome (decision D-ENG 3). */
function failure(error: unknown, lane: Lane, stage: Stage): AdminError {
  if (!(error instanceof TransportError)) {
    return new AdminError("ENGINE_FAILED", "Unexpected failure of the engine link; details are in the monitor log", {
      cause: error,
    });
  }
  const options = { cause: error };
  if (error.fault === "protocol") return replyNotUnderstood(error);
  if (error.sent && lane !== "read") {
    return new AdminError("ENGINE_TIMEOUT", "The link to the engine was lost before it replied", options);
  }
  if (error.fault === "too-large") return new AdminError("TOO_LARGE_FOR_BUS", error.message, options);
  if (error.fault === "overloaded") {
    return new AdminError("ENGINE_OVERLOADED", "The engine message bus is overloaded; nothing was sent", options);
  }
  const message = `The engine message bus is not available${WHY_UNAVAILABLE[stage]}`;
  return new AdminError("ENGINE_UNAVAILABLE", message, options);
}
