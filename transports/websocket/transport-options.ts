import type { Clock } from "../../src/core/clock.ts";
import type { Gate } from "../../src/core/load/gate.ts";
import type { EngineClock } from "../link/engine-clock.ts";
import type { EngineWatch } from "../link/engine-watch.ts";
import type { BackoffOptions, LinkEvent } from "../link/link.ts";

/** TLS material in PEM; what is not given is the machine's default. */
export interface WebSocketTransportTls {
  /** Authorities that the engine's certificate is checked against, instead of the well-known ones. */
  readonly ca?: string | Buffer | undefined;
  /** The gateway's own certificate and private key, for engines that ask for one. */
  readonly cert?: string | Buffer | undefined;
  readonly key?: string | Buffer | undefined;
}

/** How a {@link WebSocketTransport} reaches its engine. */
export interface WebSocketTransportOptions {
  /** `ws://host:port` or `wss://host:port`, with any path. */
  readonly url: string;
  /** Sent as `Authorization: Bearer` when connecting. */
  readonly token?: string | undefined;
  /** Only with `wss://`. */
  readonly tls?: WebSocketTransportTls | undefined;
  /** Times the pings and the attempts to connect. */
  readonly clock?: Clock;
  /**
   * Milliseconds between two pings, 4,000 by default. A connection on which nothing has arrived by the next ping is closed, so a
   * half-open link is detected within two intervals; so is an engine that does not respond to the upgrade.
   */
  readonly pingIntervalMs?: number;
  /** Delays between attempts to connect, in milliseconds: 100 and 2,000 by default, with full jitter. */
  readonly reconnect?: BackoffOptions;
  /** Longest reply that is read, in bytes (16 MiB). A longer one costs its request, one above four times that the link. */
  readonly maxMessageBytes?: number;
  /** Bytes that may wait to be sent (8 MiB); beyond it reads and changes are refused as overload, stops 1 MiB later. */
  readonly maxBufferedBytes?: number;
  /** Scheduler for the parsing of long replies; share it with the `AdminApi`. */
  readonly gate?: Gate | undefined;
  /** Estimates the offset of the engine's clock; links to one engine may share it. */
  readonly engineClock?: EngineClock | undefined;
  /** Watches which engines listen; links to one engine may share it. */
  readonly engineWatch?: EngineWatch | undefined;
  /** Called with what happens on the link: up, down, an engine that was restarted, what violates the contract. Must not throw. */
  readonly onEvent?: (event: LinkEvent) => void;
}
