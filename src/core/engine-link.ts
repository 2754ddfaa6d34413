import type { Clock } from "./clock.ts";
import { AdminError } from "./errors.ts";
import type { Lane } from "./operation.ts";
import { type EngineExchange, type EngineReply, type EngineRequest, type EngineTransport, TransportError } from "./transport.ts";

/** How many requests of each lane may be under way at once (decisions, "asymmetric safety"). */
export type LaneCapacities = Readonly<Record<Lane, number>>;

/** Capacities unless the host says otherwise; no lane can use up another's. */
export const DEFAULT_CAPACITIES: LaneCapacities = { stop: 64, change: 64, read: 256 };

/** How long after its deadline an answer to a mutation is still waited for, and for how many of them. */
const LATE_WINDOW_MS = 60_000;
const LATE_CAPACITY = 1_000;

export interface EngineLinkOptions {
  readonly transport: EngineTransport;
  readonly clock: Clock;
  /** Milliseconds that the engine is given for an answer (specification, convention 6). */
  readonly timeoutMs: number;
  readonly capacities: LaneCapacities;
}

/** Takes the answer to a mutation that came after its caller was told that the outcome is unknown. */
export type LateReply = (reply: EngineReply) => void;

/** The one place that knows the deadline and the lanes. Sends nothing twice (decisions D-ENG 1 and 2). */
export class EngineLink {
  readonly #options: EngineLinkOptions;
  readonly #inFlight: Record<Lane, number> = { stop: 0, change: 0, read: 0 };
  readonly #late = new Set<() => void>();

  constructor(options: EngineLinkOptions) {
    this.#options = options;
  }

  /** Epoch milliseconds by which an answer to a request sent now has to be there. */
  deadline(): number {
    return this.#options.clock.now() + this.#options.timeoutMs;
  }

  /**
   * Sends a request and waits for the answer until its deadline. Throws {@link AdminError}: `ENGINE_OVERLOADED` and
   * `ENGINE_UNAVAILABLE` when a mutation was not sent, `ENGINE_TIMEOUT` and `ENGINE_FAILED` when its outcome is unknown.
   */
  send(request: EngineRequest, onLate?: LateReply): Promise<EngineReply> {
    const { lane } = request;
    if (this.#inFlight[lane] >= this.#options.capacities[lane]) {
      throw new AdminError("ENGINE_OVERLOADED", `Too many ${lane} operations are under way; nothing was sent`);
    }
    const exchange = this.#exchange(request);
    this.#inFlight[lane] += 1;
    return new Promise((resolve, reject) => {
      let waiting = true;
      const done = (): void => {
        waiting = false;
        this.#inFlight[lane] -= 1;
        cancelTimer();
      };
      const cancelTimer = this.#options.clock.schedule(request.context.deadline - this.#options.clock.now(), () => {
        done();
        this.#awaitLate(exchange, onLate);
        reject(timeout(this.#options.timeoutMs));
      });
      exchange.reply.then(
        (reply) => {
          if (!waiting) return;
          done();
          resolve(reply);
        },
        (error: unknown) => {
          if (!waiting) return;
          done();
          reject(failure(error, lane));
        },
      );
    });
  }

  /** Stops waiting for late answers. */
  close(): void {
    for (const forget of [...this.#late]) forget();
  }

  #exchange(request: EngineRequest): EngineExchange {
    try {
      return this.#options.transport.exchange(request);
    } catch (error) {
      throw failure(error, request.lane);
    }
  }

  #awaitLate(exchange: EngineExchange, onLate: LateReply | undefined): void {
    if (!onLate) return exchange.abandon();
    const forget = (): void => {
      cancelTimer();
      this.#late.delete(forget);
      exchange.abandon();
    };
    const cancelTimer = this.#options.clock.schedule(LATE_WINDOW_MS, forget);
    this.#late.add(forget);
    if (this.#late.size > LATE_CAPACITY) for (const oldest of this.#late) return oldest();
    const settle = (reply?: EngineReply): void => {
      if (!this.#late.delete(forget)) return;
      cancelTimer();
      if (reply) onLate(reply);
    };
    exchange.reply.then(settle, () => settle());
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
    return new AdminError("ENGINE_FAILED", "The engine's answer was not understood; details are in the monitor log", options);
  }
  if (error.sent && lane !== "read") {
    return new AdminError("ENGINE_TIMEOUT", "The link to the engine was lost before it answered", options);
  }
  if (error.fault === "overloaded") {
    return new AdminError("ENGINE_OVERLOADED", "The engine message bus is overloaded; nothing was sent", options);
  }
  return new AdminError("ENGINE_UNAVAILABLE", "The engine message bus is not available", options);
}
