import type { EngineTransport } from "../../core/engine/transport.ts";
import type { EngineBus } from "../../engine/serve.ts";

/** Both ends of a transport, set up for one case of {@link transportConformance}. */
export interface TransportFixture {
  /** The gateway's end, new: the kit starts it. */
  readonly transport: EngineTransport;
  /** The engine's end, ready for `listen`; the kit listens with engines of its own. */
  readonly bus: EngineBus;
  /** Breaks the link abruptly, as a network does, and keeps it broken; the engine's end stays there. */
  cutLink(): Promise<void>;
  /** Lets the gateway's end reach the engine's end again. */
  restoreLink(): Promise<void>;
  /** Frees everything. The transport may be closed already, and the link be cut. */
  close(): Promise<void>;
}

/** What a transport promises beyond the contract, and how patient the kit is. */
export interface TransportConformanceOptions {
  /**
   * Requests that were sent before the link broke stay pending, and their replies may come after it is back, as with
   * a message broker between the ends. Unless it is true, such requests must be rejected when the link breaks.
   */
  readonly repliesSurviveLoss?: boolean;
  /** Milliseconds that the kit waits for each thing that has to happen; 15,000 unless given. */
  readonly timeoutMs?: number;
}
