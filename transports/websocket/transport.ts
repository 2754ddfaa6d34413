import { systemClock } from "../../src/core/clock.ts";
import {
  type EngineExchange,
  type EngineRequest,
  type EngineTransport,
  type LinkState,
  TransportError,
} from "../../src/core/engine/transport.ts";
import type { Logger } from "../../src/core/logger.ts";
import {
  CLOCK,
  COUNT,
  fieldsOf,
  GATE,
  ifGiven,
  MS,
  optionsOf,
  PEM,
  SOME_MS,
  textLike,
} from "../../src/core/options.ts";
import { EngineClock } from "../link/engine-clock.ts";
import { EngineWatch, engineInstance } from "../link/engine-watch.ts";
import {
  Backoff,
  type BackoffOptions,
  DEFAULT_BACKOFF,
  DEFAULT_MAX_BUFFERED_BYTES,
  ENGINE_CLOCK,
  ENGINE_WATCH,
  ON_EVENT,
} from "../link/link.ts";
import { LinkEvents, type LinkListener, linkListener, NearLimit } from "../link/link-events.ts";
import { ClientConnection, type ClientConnectionOptions } from "./client-connection.ts";
import { WebSocketDialer } from "./dialer.ts";
import {
  DEFAULT_MAX_REPLY_BYTES,
  DEFAULT_PING_INTERVAL_MS,
  type WebSocketTransportOptions,
  type WebSocketTransportTls,
} from "./options.ts";

const checked = optionsOf<WebSocketTransportOptions>("WebSocketTransport", {
  url: textLike('"ws://127.0.0.1:8989"'),
  token: ifGiven(textLike("the token of the engine")),
  tls: ifGiven(fieldsOf<WebSocketTransportTls>({ ca: ifGiven(PEM), cert: ifGiven(PEM), key: ifGiven(PEM) })),
  clock: ifGiven(CLOCK),
  pingIntervalMs: ifGiven(SOME_MS),
  reconnect: ifGiven(fieldsOf<BackoffOptions>({ initialMs: MS, maxMs: MS })),
  maxMessageBytes: ifGiven(COUNT),
  maxBufferedBytes: ifGiven(COUNT),
  gate: ifGiven(GATE),
  engineClock: ifGiven(ENGINE_CLOCK),
  engineWatch: ifGiven(ENGINE_WATCH),
  onEvent: ifGiven(ON_EVENT),
});

/**
 * The gateway's end of a WebSocket bus (docs/engine/bus.md): one connection with many requests in flight, JSON-RPC 2.0 in text
 * frames, those of one tick sent together. It connects in the background and again after every loss, until it is closed.
 * The constructor throws `TypeError` for a URL, token or TLS material that cannot be used.
 *
 * @example
 * const transport = new WebSocketTransport({ url: "ws://127.0.0.1:8989" });
 * const api = new AdminApi({ transport, audit });
 */
export class WebSocketTransport implements EngineTransport {
  readonly #dialer: WebSocketDialer;
  readonly #backoff: Backoff;
  readonly #options: ClientConnectionOptions;
  readonly #listener: LinkListener;
  readonly #events: LinkEvents;
  readonly #engineWatch: EngineWatch;
  readonly #nearLimit: NearLimit;
  #connection: ClientConnection | undefined;
  #wasOpen = false;
  #cancelReconnect: () => void = () => {};
  #lastDown: string | undefined;
  #gone: Promise<void> | undefined;
  #stage: "new" | "started" | "closed" = "new";

  constructor(options: WebSocketTransportOptions) {
    this.#dialer = new WebSocketDialer(checked(options));
    this.#backoff = new Backoff(options.reconnect ?? DEFAULT_BACKOFF);
    const { clock = systemClock } = options;
    this.#listener = linkListener(options.onEvent);
    const onEvent = this.#listener.tell;
    this.#events = new LinkEvents(onEvent, clock);
    this.#nearLimit = new NearLimit(onEvent);
    this.#engineWatch = options.engineWatch ?? new EngineWatch(onEvent);
    this.#options = {
      clock,
      pingIntervalMs: options.pingIntervalMs ?? DEFAULT_PING_INTERVAL_MS,
      maxMessageBytes: options.maxMessageBytes ?? DEFAULT_MAX_REPLY_BYTES,
      maxBufferedBytes: options.maxBufferedBytes ?? DEFAULT_MAX_BUFFERED_BYTES,
      gate: options.gate,
      engineClock: options.engineClock ?? new EngineClock(onEvent),
    };
  }

  get state(): LinkState {
    return this.#connection?.isOpen ? "up" : "down";
  }

  get knowsClock(): boolean {
    return this.#options.engineClock.isKnown;
  }

  /** Resolves immediately and connects in the background. Rejects when the transport has been closed. */
  async start(log?: Logger): Promise<void> {
    if (this.#stage === "closed") throw new Error("The transport has been closed and cannot be started again");
    if (this.#stage === "started") return;
    this.#stage = "started";
    this.#listener.useLog(log);
    this.#connect();
  }

  exchange(request: EngineRequest): EngineExchange {
    const connection = this.#connection;
    if (connection?.isOpen) return connection.exchange(request);
    if (request.lane === "stop") this.#hasten();
    throw new TransportError("unavailable", `There is no connection to the engine at ${this.#dialer.address}`, {
      sent: false,
    });
  }

  close(): Promise<void> {
    this.#stage = "closed";
    this.#engineWatch.closed(this);
    this.#cancelReconnect();
    this.#gone ??= this.#connection?.close() ?? Promise.resolve();
    this.#events.close();
    return this.#gone;
  }

  #connect(): void {
    const { address } = this.#dialer;
    const connection = new ClientConnection(this.#dialer.dial(), this.#options, {
      opened: (engineId) => {
        this.#lastDown = undefined;
        if (this.#wasOpen) this.#options.engineClock.doubt();
        this.#wasOpen = true;
        if (engineId) this.#engineWatch.found(this, [engineInstance(engineId)]);
        this.#events.up(`Connected to the engine at ${address}`);
      },
      closed: (reason) => this.#lost(connection, `No connection to the engine at ${address}: ${reason}`),
      replied: (method, bytes) =>
        this.#nearLimit.check(method, bytes, this.#options.maxMessageBytes, "maxMessageBytes of the transport"),
      problem: (kind, message) => this.#events.problem(kind, `Engine at ${address}: ${message}`),
    });
    this.#connection = connection;
  }

  /** The next attempt to connect comes now, unless one is in progress: whoever stops asks again soon. */
  #hasten(): void {
    if (this.#connection || this.#stage !== "started") return;
    this.#cancelReconnect();
    this.#connect();
  }

  #lost({ hasReceived, isFlooded }: ClientConnection, message: string): void {
    this.#connection = undefined;
    if (this.#stage === "closed") return;
    // An engine that accepts connections only to drop them, or to flood them, must not reset the backoff.
    if (hasReceived && !isFlooded) this.#backoff.reset();
    this.#cancelReconnect = this.#options.clock.schedule(this.#backoff.next(), () => this.#connect());
    // One event per reason, however many attempts fail.
    if (message !== this.#lastDown) this.#events.down(message);
    this.#lastDown = message;
  }
}
