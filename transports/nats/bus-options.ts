import type { Clock } from "../../src/core/clock.ts";
import type { EngineBus, EngineHandler } from "../../src/engine/serve.ts";
import type { LinkEvent } from "../link/link.ts";
import type { NatsConnectionOptions } from "./connection-options.ts";

/** Options of an engine's end of a NATS bus. */
export interface NatsBusOptions extends NatsConnectionOptions {
  /** What the subjects of the operations begin with: `trading-admin.v1` unless given; the gateways need the same. */
  readonly subjectPrefix?: string | undefined;
  /** Engines in one queue group share the requests: `trading-admin-engine` unless given. */
  readonly queueGroup?: string | undefined;
  /** Names the state that this engine shares with others of its queue group: all of them give the same. Without, it has its own. */
  readonly stateId?: string | undefined;
  /** Requests that may be in progress concurrently (1,024); further ones are refused as overload. */
  readonly maxInFlight?: number | undefined;
  /** Stops that may be in progress beyond `maxInFlight` (64). */
  readonly stopReserve?: number | undefined;
  /** Milliseconds that `close` waits for the requests in progress (1,000). */
  readonly closeTimeoutMs?: number | undefined;
  /** Clock for the age of requests and the engine's time in replies. */
  readonly clock?: Clock | undefined;
  /** Called when the link goes up or down, and when something violates the contract. Must not throw. */
  readonly onEvent?: ((event: LinkEvent) => void) | undefined;
}

/** The engine's end of a NATS bus. */
export interface NatsBus extends EngineBus {
  /** The server that it first connected to, for example `nats://127.0.0.1:4222`. */
  readonly url: string;
  /**
   * Hands every request that arrives from now on to the handler, in the order of arrival; resolves when they can arrive.
   * Rejects when the server does not let this user listen to the operations' subjects.
   */
  listen(handler: EngineHandler): Promise<void>;
  /** Stops accepting requests, waits for the replies to pending ones, and disconnects. */
  close(): Promise<void>;
}
