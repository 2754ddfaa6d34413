import type { Clock } from "./clock.ts";
import { AdminError } from "./errors.ts";
import { LateAnswers, type LateReply } from "./late-answers.ts";
import type { MaybePromise } from "./maybe-promise.ts";
import type { Lane } from "./operation.ts";
import {
  type EngineExchange,
  type EngineReply,
  type EngineRequest,
  type EngineTransport,
  TransportError,
} from "./transport.ts";

/** How many requests of each lane may be under way at once (decisions, "asymmetric safety"). */
export type LaneCapacities = Readonly<Record<Lane, number>>;

/** Capacities unless the host says otherwise; no lane can use up another's. */
export const DEFAULT_CAPACITIES: LaneCapacities = { stop: 64, change: 64, read: 256 };

export interface EngineLinkOptions {
  readonly transport: EngineTransport;
  readonly clock: Clock;
  /** Milliseconds that the engine is given for an answer (specification, convention 6). */
  readonly timeoutMs: number;
  readonly capacities: LaneCapacities;
}

/** The one place that knows the deadline and the lanes. Sends nothing twice (decisions D-ENG 1 and 2). */
export class EngineLink {
  readonly #options: EngineLinkOptions;
  readonly #inFlight: Record<Lane, number> = { stop: 0, change: 0, read: 0 };
  readonly #late: LateAnswers;

  constructor(options: EngineLinkOptions) {
    this.#options = options;
    this.#late = new LateAnswers(options.clock);
  }

  /** Epoch milliseconds by which an answer to a request sent now has to be there. */
  deadline(): number {
    return this.#options.clock.now() + this.#options.timeoutMs;
  }

  /**
   * Sends a request and waits for the answer until its deadline. Throws {@link AdminError}: `ENGINE_OVERLOADED` and
   * `ENGINE_UNAVAILABLE` when a mutation was not sent, `ENGINE_TIMEOUT` and `ENGINE_FAILED` when its outcome is unknown.
   */
  send(request: EngineRequest, onLate?: LateReply): MaybePromise<EngineReply> {
    const { lane } = request;
    if (this.#inFlight[lane] >= this.#options.capacities[lane]) {
      throw new AdminError("ENGINE_OVERLOADED", `Too many ${lane} operations are under way; nothing was sent`);
    }
    const exchange = this.#exchange(request);
    const { reply } = exchange;
    return reply instanceof Promise ? this.#await(request, exchange, reply, onLate) : reply;
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
    this.#inFlight[lane] += 1;
    return new Promise((resolve, reject) => {
      let waiting = true;
      /** Gives the place in the lane back; false when that has been done. */
      const finish = (): boolean => {
        if (!waiting) return false;
        waiting = false;
        this.#inFlight[lane] -= 1;
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
