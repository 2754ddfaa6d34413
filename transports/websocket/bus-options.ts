import type { Clock } from "../../src/core/clock.ts";
import type { EngineBus, EngineHandler } from "../../src/engine/serve.ts";
import type { LinkEvent } from "../link/link.ts";

/** TLS material in PEM. */
export interface WebSocketBusTls {
  readonly cert: string | Buffer;
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
  /** What gateways must send as `Authorization: Bearer`. */
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
  /** Called when gateways come and go, and when one breaks the contract. Must not throw. */
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
