import type { Clock } from "./clock.ts";
import { AdminError } from "./errors.ts";
import { LateAnswers, type LateReply } from "./late-answers.ts";
import type { MaybePromise } from "./maybe-promise.ts";
import type { Lane } from "./operation.ts";
import { ReadQueue } from "./read-queue.ts";
import type { ReadSchedule } from "./read-schedule.ts";
import {
  type EngineExchange,
  type EngineReply,
  type EngineRequest,
  type EngineTransport,
  TransportError,
} from "./transport.ts";
import { UseByUser } from "./use-by-user.ts";

/** How many requests of each lane may be under way at once (decisions, "asymmetric safety"). */
export type LaneCapacities = Readonly<Record<Lane, number>>;

/** Capacities unless the host says otherwise; no lane can use up another's. */
export const DEFAULT_CAPACITIES: LaneCapacities = { stop: 64, change: 64, read: 256 };

/** Part of each lane that one user may have, unless the host says otherwise: a bad script stays its own problem. */
export const DEFAULT_USER_SHARE = 0.5;

/** How much of a lane is in use. */
export interface LaneLoad {
  /** Requests that wait for the engine now, or to be sent to it. */
  readonly inFlight: number;
  /** Requests that may wait at once; what is beyond is answered 429. */
  readonly capacity: number;
}

export interface EngineLinkOptions {
  readonly transport: EngineTransport;
  readonly clock: Clock;
  /** Milliseconds that the engine is given for an answer (specification, convention 6). */
  readonly timeoutMs: number;
  readonly capacities: LaneCapacities;
  /** Part of each lane that one user may have, above 0 and at most 1. */
  readonly userShare: number;
  /** Knows how many reads can be coped with. */
  readonly reads: ReadSchedule;
}

/** The one place that knows the deadline and the lanes. Sends nothing twice (decisions D-ENG 1 and 2). */
export class EngineLink {
  readonly #options: EngineLinkOptions;
  readonly #inFlight: Record<Lane, UseByUser> = {
    stop: new UseByUser(),
    change: new UseByUser(),
    read: new UseByUser(),
  };
  readonly #waitingReads: ReadQueue;
  readonly #late: LateAnswers;
  #sentReads = 0;
  /** They are on their way from the queue. */
  #admittedReads = 0;

  constructor(options: EngineLinkOptions) {
    this.#options = options;
    this.#waitingReads = new ReadQueue(options.clock);
    this.#late = new LateAnswers(options.clock);
  }

  /** Epoch milliseconds by which an answer to a request sent now has to be there. */
  deadline(): number {
    return this.#options.clock.now() + this.#options.timeoutMs;
  }

  /** Use of a lane now. */
  load(lane: Lane): LaneLoad {
    return { inFlight: this.#inFlight[lane].total, capacity: this.#options.capacities[lane] };
  }

  /**
   * Sends a request and waits for the answer until its deadline. Throws {@link AdminError}: `ENGINE_OVERLOADED` and
   * `ENGINE_UNAVAILABLE` when a mutation was not sent, `ENGINE_TIMEOUT` and `ENGINE_FAILED` when its outcome is unknown.
   */
  send(request: EngineRequest, onLate?: LateReply): MaybePromise<EngineReply> {
    this.#checkRoom(request);
    return request.lane === "read" ? this.#sendRead(request) : this.#sendNow(request, onLate);
  }

  #sendNow(request: EngineRequest, onLate?: LateReply): MaybePromise<EngineReply> {
    const exchange = this.#exchange(request);
    const { reply } = exchange;
    return reply instanceof Promise ? this.#await(request, exchange, reply, onLate) : reply;
  }

  /** Sends no more reads at a time than can be coped with; the others wait, in the lane too. */
  #sendRead(request: EngineRequest): MaybePromise<EngineReply> {
    if (this.#freeReads > 0) return this.#sendAdmitted(request);
    const { user } = request.context;
    const use = this.#inFlight.read;
    use.add(user);
    const turn = this.#waitingReads.wait(user).finally(() => use.remove(user));
    return turn.then(() => {
      this.#admittedReads -= 1;
      return this.#sendAdmitted(request);
    });
  }

  get #freeReads(): number {
    const { capacities, reads } = this.#options;
    return reads.limit.current(capacities.read) - this.#sentReads - this.#admittedReads;
  }

  #sendAdmitted(request: EngineRequest): MaybePromise<EngineReply> {
    const { capacities, reads } = this.#options;
    const reply = this.#sendNow(request);
    if (!(reply instanceof Promise)) return reply;
    this.#sentReads += 1;
    return reply.finally(() => {
      this.#sentReads -= 1;
      reads.limit.answered(capacities.read);
      while (this.#waitingReads.size > 0 && this.#freeReads > 0) {
        this.#admittedReads += 1;
        this.#waitingReads.admitNext();
      }
    });
  }

  #checkRoom({ lane, context: { user } }: EngineRequest): void {
    const { capacities, userShare } = this.#options;
    const use = this.#inFlight[lane];
    const capacity = capacities[lane];
    if (use.total >= capacity) {
      throw new AdminError("ENGINE_OVERLOADED", `Too many ${lane} operations are under way; nothing was sent`);
    }
    if (use.of(user) >= Math.ceil(capacity * userShare)) {
      throw new AdminError(
        "ENGINE_OVERLOADED",
        `Too many ${lane} operations of user "${user}" are under way; nothing was sent`,
      );
    }
  }

  /** Stops waiting for late answers. */
  close(): void {
    this.#late.close();
  }

  #await(
    { lane, context }: EngineRequest,
    exchange: EngineExchange,
    reply: Promise<EngineReply>,
    onLate: LateReply | undefined,
  ): Promise<EngineReply> {
    const use = this.#inFlight[lane];
    use.add(context.user);
    return new Promise((resolve, reject) => {
      let waiting = true;
      /** Gives the place in the lane back; false when that has been done. */
      const finish = (): boolean => {
        if (!waiting) return false;
        waiting = false;
        use.remove(context.user);
        cancelTimer();
        return true;
      };
      const cancelTimer = this.#options.clock.schedule(context.deadline - this.#options.clock.now(), () => {
        finish();
        if (onLate) this.#late.await(exchange, reply, onLate);
        else exchange.abandon();
        reject(timeout(this.#options.timeoutMs));
      });
      reply.then(
        (answer) => finish() && resolve(answer),
        (error: unknown) => finish() && reject(failure(error, lane)),
      );
    });
  }

  #exchange(request: EngineRequest): EngineExchange {
    try {
      return this.#options.transport.exchange(request);
    } catch (error) {
      throw failure(error, request.lane);
    }
  }
}

function timeout(timeoutMs: number): AdminError {
  return new AdminError("ENGINE_TIMEOUT", `The engine did not respond within ${timeoutMs / 1000} seconds`);
}

/** What a failed exchange means to the caller; a mutation that was sent has an unknown outcome (decision D-ENG 3). */
function failure(error: unknown, lane: Lane): AdminError {
  if (!(error instanceof TransportError)) {
    return new AdminError("ENGINE_FAILED", "Unexpected failure of the engine link; details are in the monitor log", {
      cause: error,
    });
  }
  const options = { cause: error };
  if (error.fault === "protocol") {
    return new AdminError(
      "ENGINE_FAILED",
      "The engine's answer was not understood; details are in the monitor log",
      options,
    );
  }
  if (error.sent && lane !== "read") {
    return new AdminError("ENGINE_TIMEOUT", "The link to the engine was lost before it answered", options);
  }
  if (error.fault === "overloaded") {
    return new AdminError("ENGINE_OVERLOADED", "The engine message bus is overloaded; nothing was sent", options);
  }
  return new AdminError("ENGINE_UNAVAILABLE", "The engine message bus is not available", options);
}
