import { type Clock, monotonicMs } from "../clock.ts";
import type { Logger } from "../logger.ts";
import type { Lane } from "../operations/operation.ts";
import type { BusMethod } from "../operations/table.ts";
import { type Needed, oneOf, requireArgument } from "../options.ts";

/** Metadata of a request to the engine. */
export interface EngineContext {
  /** Name of the authenticated user. */
  readonly user: string;
  /** `X-Request-Id` of the caller's request. */
  readonly requestId: string;
  /** Epoch milliseconds at which the caller stops waiting; the engine drops later requests. */
  readonly deadline: number;
  /** Milliseconds between sending and the deadline: independent of the clocks at both ends. */
  readonly timeLeft?: number | undefined;
  /**
   * Epoch milliseconds, by the engine's clock and with a fraction, at which a command arrived at its gateway; what arrived later takes
   * effect later. Absent where the gateway does not know the engine's clock: the receipt counts then.
   */
  readonly arrived?: number | undefined;
  /** How many milliseconds {@link arrived} may be off. */
  readonly arrivedWithin?: number | undefined;
  /**
   * The clock by which {@link deadline} and {@link arrived} are given, as the engine's replies name it; another one after each start of the
   * engine. Absent where no reply has named one.
   */
  readonly clock?: string | undefined;
  /** W3C Trace Context header of the caller, where there is one. */
  readonly traceparent?: string | undefined;
}

/** A request before it is sent. The remaining time is measured by the monotonic clock, which nobody sets. */
export interface UnsentRequest extends Omit<EngineRequest, "context" | "age"> {
  /** Monotonic milliseconds by which the reply has to arrive. */
  readonly due: number;
  readonly context: Pick<EngineContext, "user" | "requestId" | "traceparent">;
}

export interface EngineRequest {
  /** Name of the operation. */
  readonly method: BusMethod;
  /** The operation's flat input, checked, with defaults filled in. */
  readonly input: unknown;
  /** A `stop` goes before whatever waits. */
  readonly lane: Lane;
  /** Who asks, and until when. */
  readonly context: EngineContext;
  /**
   * Monotonic milliseconds at which a command arrived, by the clock of the API. A transport that knows the engine's clock sends it as
   * {@link EngineContext.arrived}.
   */
  readonly arrival?: number | undefined;
  /** Milliseconds since the request arrived at the engine's end of the bus; counts the time in a queue between bus and engine. */
  readonly age?: (() => number) | undefined;
}

/**
 * Why an engine refused a request. `unsupported`: it has no such operation. `not-understood`: the message is not what the contract says,
 * so the operation was not begun. All but `internal` mean that nothing was changed.
 */
export type EngineRefusal =
  | "rejected"
  | "not-found"
  | "stop-came-first"
  | "unsupported"
  | "overloaded"
  | "unavailable"
  | "not-understood"
  | "internal";

/** When an engine replied. */
export interface ReplyTime {
  /** Epoch milliseconds by the engine's clock; absent where the engine's end does not tell it. */
  readonly now?: number | undefined;
  /** Names that clock: a text that no other start of the engine has. */
  readonly clock?: string | undefined;
}

/** The engine's reply. A long result may be a {@link LongList}, whose rows are parsed lazily. */
export type EngineReply = ReplyTime &
  (
    | { readonly ok: true; readonly result: unknown }
    | {
        readonly ok: false;
        readonly refusal: EngineRefusal;
        readonly message: string;
        /** What an engine in the same process has thrown, for the log; no wire carries it. */
        readonly cause?: unknown;
      }
  );

/** A request that a transport has accepted. */
export interface EngineExchange {
  /** Resolves with the engine's reply, however late; rejects with {@link TransportError} when no reply can arrive any more. */
  readonly reply: Promise<EngineReply>;
  /** Abandons the request: the transport forgets it and `reply` may stay pending. */
  abandon(): void;
  /**
   * Has a listener called when another reply to the same request arrives that contradicts the first, once and for as long as the
   * transport remembers the first. Absent where a bus cannot carry a second reply.
   */
  contradicted?(listener: (reply: EngineReply) => void): void;
}

/** Whether requests can reach the engine now. */
export type LinkState = "up" | "down";

/**
 * The only way to the engine. A transport sends requests and correlates replies; it has no request timeout, never sends anything
 * twice, and every failure states whether the request had been sent.
 *
 * @example
 * class LoggedTransport implements EngineTransport {
 *   readonly #transport: EngineTransport;
 *
 *   constructor(transport: EngineTransport) {
 *     this.#transport = transport;
 *   }
 *
 *   get state() {
 *     return this.#transport.state;
 *   }
 *
 *   start() {
 *     return this.#transport.start();
 *   }
 *
 *   close() {
 *     return this.#transport.close();
 *   }
 *
 *   exchange(request: EngineRequest) {
 *     console.log(request.method, request.context.requestId);
 *     return this.#transport.exchange(request);
 *   }
 * }
 */
export interface EngineTransport {
  /** `up` when requests can reach the engine now. */
  readonly state: LinkState;
  /** False while the engine's clock is not known, or no longer: a read before the next command finds it out. */
  readonly knowsClock?: boolean;
  /**
   * Starts to connect. An unreachable engine is not an error: `state` is `down` and requests are refused until it is reachable.
   * `log` is that of the API's host: for what happens on the link, unless the transport has been told where that goes.
   */
  start(log?: Logger): Promise<void>;
  /** Sends a request. Throws {@link TransportError} with `sent: false` when it cannot. */
  exchange(request: EngineRequest): EngineExchange;
  /** Disconnects; every pending request rejects with a {@link TransportError}. */
  close(): Promise<void>;
}

/** `protocol`: the reply was not understood. `too-large`: the bus will never take a request of this size. */
export type TransportFault = "overloaded" | "unavailable" | "protocol" | "too-large";

const FAULTS: Readonly<Record<TransportFault, true>> = {
  overloaded: true,
  unavailable: true,
  protocol: true,
  "too-large": true,
};

const FAULT = oneOf(FAULTS);

/** Left out, it would mean that the engine certainly did nothing. */
const SENT: Needed = { like: "{ sent: false }", fits: (value) => typeof value === "boolean" };

/** A transport could not carry a request. */
export class TransportError extends Error {
  /** What kept the request or its reply. */
  readonly fault: TransportFault;
  /** Whether the request may have reached the engine. */
  readonly sent: boolean;

  constructor(fault: TransportFault, message: string, options: ErrorOptions & { readonly sent: boolean }) {
    requireArgument("TransportError", "fault", fault, FAULT);
    requireArgument("TransportError", "sent", options?.sent, SENT);
    super(message, options);
    this.name = "TransportError";
    this.fault = fault;
    this.sent = options.sent;
  }
}

/** Stamps a request with its arrival at the engine's end of a bus. */
export function arrived({ method, input, lane, context }: EngineRequest, clock: Clock): EngineRequest {
  const arrivedAt = monotonicMs(clock);
  return { method, input, lane, context, age: () => monotonicMs(clock) - arrivedAt };
}
