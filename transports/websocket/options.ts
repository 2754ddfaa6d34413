import type { Clock } from "../../src/core/clock.ts";
import type { Gate } from "../../src/core/load/gate.ts";
import type { EngineBus, EngineHandler } from "../../src/engine/serve.ts";
import type { EngineClock } from "../link/engine-clock.ts";
import type { EngineWatch } from "../link/engine-watch.ts";
import type { BackoffOptions, LinkEvent } from "../link/link.ts";

/** TLS material in PEM; what is not given is the machine's default. */
export interface WebSocketTransportTls {
  /** Authorities that the engine's certificate is checked against, instead of the well-known ones. */
  readonly ca?: string | Buffer | undefined;
  /** The gateway's own certificate and private key, for engines that ask for one. */
  readonly cert?: string | Buffer | undefined;
  /** Private key of `cert`. */
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
  /**
   * Called with what happens on the link: up, down, an engine that was restarted, what violates the contract. Without it,
   * that goes to the `log` of the `AdminApi`, and without that, what goes wrong becomes a warning of the process.
   */
  readonly onEvent?: (event: LinkEvent) => void;
}

/** TLS material in PEM. */
export interface WebSocketBusTls {
  /** Certificate chain of the engine. */
  readonly cert: string | Buffer;
  /** Its private key. */
  readonly key: string | Buffer;
  /** Authorities of the gateways' certificates; when it is given, every gateway needs one. */
  readonly ca?: string | Buffer | undefined;
}

/** Where and for whom an engine listens. */
export interface WebSocketBusOptions {
  /** Address to listen on, for example `127.0.0.1`. */
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Required from gateways as `Authorization: Bearer`. */
  readonly token?: string;
  /** With it the URL is a `wss://` one. */
  readonly tls?: WebSocketBusTls;
  /** Longest request that is read, in bytes (1 MiB and 64 KiB). A longer one is refused, one above four times that costs the connection. */
  readonly maxMessageBytes?: number;
  /** Requests that one connection may have in progress (1,024); further ones are refused as overload. */
  readonly maxInFlight?: number;
  /** Stops that one connection may have in progress beyond `maxInFlight` (64). */
  readonly stopReserve?: number;
  /** Concurrent connections (64). */
  readonly maxConnections?: number;
  /** Milliseconds between pings (4,000); a gateway from which nothing has come when the next one is due is dropped. */
  readonly pingIntervalMs?: number;
  /** Times the pings and the age of requests, and gives the engine's time in replies. */
  readonly clock?: Clock;
  /** Called when gateways come and go, and when one breaks the contract. */
  readonly onEvent?: (event: LinkEvent) => void;
}

/** The engine's end of a WebSocket bus. */
export interface WebSocketBus extends EngineBus {
  /** Where it listens, for example `ws://127.0.0.1:8989`, with the real port. */
  readonly url: string;
  /** Hands every request that arrives from now on to the handler, in the order of arrival; before, they are refused. */
  listen(handler: EngineHandler): void;
  /** Asks all gateways, and those that connect later, to send nothing but stops; `false` takes it back. */
  setOverloaded(overloaded: boolean): void;
  /** Stops listening and closes all connections; requests without a reply yet are lost. */
  close(): Promise<void>;
}

/** Milliseconds between pings; two of them pass at most until a half-open link is noticed. */
export const DEFAULT_PING_INTERVAL_MS = 4_000;

/** Longest message that is read, in bytes: the replies with whole tables, and requests with a body of 1 MiB in its envelope. */
export const DEFAULT_MAX_REPLY_BYTES = 16 * 1024 * 1024;
export const DEFAULT_MAX_REQUEST_BYTES = 1024 * 1024 + 64 * 1024;

/** How long the other end may take to say goodbye. */
export const CLOSE_TIMEOUT_MS = 1_000;

/** Longer messages cost their sender a fault, those of this many times the limit the connection. */
const HARD_LIMIT_FACTOR = 4;

/** The `maxPayload` of ws, which counts in 32 bits. */
export function hardLimit(maxMessageBytes: number): number {
  return Math.min(maxMessageBytes * HARD_LIMIT_FACTOR, 2 ** 31 - 1);
}
