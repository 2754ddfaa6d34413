import { setTimeout as pause } from "node:timers/promises";
import {
  AuthorizationError,
  type NatsConnection,
  PermissionViolationError,
  UserAuthenticationExpiredError,
} from "@nats-io/transport-node";
import { Backoff, DEFAULT_BACKOFF } from "../link/link.ts";
import type { LinkEvents } from "../link/link-events.ts";
import { inWords, type NatsDialer, type NatsLogin, PING_INTERVAL_MS } from "./dialer.ts";

export interface LinkUser {
  /** Subscribes on a new connection; calls `giveUp` if the link is useless: the server refuses a subscription, or somebody floods it. */
  subscribe(connection: NatsConnection, giveUp: (error: Error) => void): void;
  /** The server denied publishing to `subject`. */
  denied(subject: string): void;
  readonly events: LinkEvents;
}

/** Maintains a connection to one of the servers: reconnects after every loss until it is closed. */
export class NatsLink {
  readonly #dialer: NatsDialer;
  readonly #user: LinkUser;
  readonly #backoff = new Backoff(DEFAULT_BACKOFF);
  readonly #closing = new AbortController();
  #session: NatsSession | undefined;
  #isUp = false;
  #running: Promise<void> = Promise.resolve();
  #lastDown: string | undefined;
  /** The pause before the next attempt to connect, which this ends. */
  #pause: AbortController | undefined;
  /** Whether the user gave the current session up: the next one must not follow immediately, as it may end in the same way. */
  #isGivenUp = false;

  constructor(dialer: NatsDialer, user: LinkUser) {
    this.#dialer = dialer;
    this.#user = user;
  }

  /** The connection while it is up, with all subscriptions. */
  get connection(): NatsConnection | undefined {
    return this.#isUp ? this.#session?.connection : undefined;
  }

  /** Connects in the background. */
  start(): void {
    this.#running = this.#run(undefined);
  }

  /** Connects and returns the server's URL; rejects if that fails. */
  async open(): Promise<string> {
    const session = await this.#connect();
    this.#running = this.#run(session);
    return session.url;
  }

  /** Resubscribes on the current connection; later connections subscribe by themselves. */
  async subscribe(): Promise<void> {
    if (this.#session) await this.#subscribe(this.#session);
  }

  /** Resolves when the server has received everything sent so far, or the connection is lost. */
  async flush(): Promise<void> {
    // A lost connection has nothing left to send.
    await this.#session?.confirm().catch(() => {});
  }

  /** Ends the pause before the next attempt to connect, if there is one. */
  hasten(): void {
    this.#pause?.abort();
  }

  /** Disconnects; unwritten data may be lost. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.hasten();
    this.#isUp = false;
    await this.#session?.connection.close();
    await this.#running;
  }

  async #run(first: NatsSession | undefined): Promise<void> {
    let session = first;
    while (!this.#closing.signal.aborted) {
      try {
        session ??= await this.#connect();
        this.#down(await session.ended);
        if (!this.#isGivenUp) this.#backoff.reset();
      } catch (error) {
        this.#down(inWords(error));
      }
      session = undefined;
      if (!this.#closing.signal.aborted) await this.#pauseBeforeNext();
    }
  }

  async #pauseBeforeNext(): Promise<void> {
    this.#pause = new AbortController();
    await pause(this.#backoff.next(), undefined, { signal: this.#pause.signal }).catch(() => {});
    this.#pause = undefined;
  }

  async #connect(): Promise<NatsSession> {
    const session = new NatsSession(await this.#dialer.dial(this.#closing.signal), {
      denied: (subject) => this.#user.denied(subject),
      problem: (message) => this.#problem(message),
    });
    this.#session = session;
    this.#isGivenUp = false;
    try {
      await this.#subscribe(session);
      this.#closing.signal.throwIfAborted();
    } catch (error) {
      await session.connection.close();
      throw error;
    }
    this.#up(session);
    return session;
  }

  async #subscribe(session: NatsSession): Promise<void> {
    this.#user.subscribe(session.connection, (error) => {
      this.#isGivenUp = true;
      session.giveUp(inWords(error));
    });
    await session.confirm();
  }

  #up(session: NatsSession): void {
    this.#isUp = true;
    this.#lastDown = undefined;
    this.#user.events.up(`Connected to the NATS server at ${session.url}`);
  }

  #down(reason: string): void {
    this.#isUp = false;
    this.#session = undefined;
    if (this.#closing.signal.aborted) return;
    // One event per reason, however many attempts fail.
    if (reason !== this.#lastDown) {
      this.#user.events.down(`No connection to the NATS server at ${this.#dialer.address}: ${reason}`);
    }
    this.#lastDown = reason;
  }

  #problem(message: string): void {
    this.#user.events.problem("server", `NATS server at ${this.#dialer.address}: ${message}`);
  }
}

export interface SessionEvents {
  /** The server denied publishing to `subject`. */
  denied(subject: string): void;
  /** The server reported an error. */
  problem(message: string): void;
}

/** One connection to a NATS server, from its beginning to its end. */
export class NatsSession {
  readonly connection: NatsConnection;
  readonly url: string;
  /** Resolves with the reason when the connection is lost. */
  readonly ended: Promise<string>;
  readonly #events: SessionEvents;
  #reason: string | undefined;

  constructor({ connection, url }: NatsLogin, events: SessionEvents) {
    this.connection = connection;
    this.url = url;
    this.#events = events;
    this.ended = connection.closed().then((error) => this.#reason ?? inWords(error));
    void this.#watch();
  }

  /** Resolves when the server has received everything sent so far; rejects if the connection ends first. */
  async confirm(): Promise<void> {
    const lost = this.ended.then((reason) => {
      throw new Error(reason);
    });
    await Promise.race([this.connection.flush(), lost]);
    // A refusal arrives before the confirmation; only the end of the connection is still outstanding.
    if (this.#reason !== undefined) throw new Error(this.#reason);
  }

  /** Closes a useless connection. */
  giveUp(reason: string): void {
    this.#reason ??= reason;
    void this.connection.close();
  }

  async #watch(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (status.type === "error") this.#complaint(status.error);
      // The client would wait until it can write, which may be never on a half-open link.
      if (status.type === "staleConnection") this.giveUp(`nothing came within ${PING_INTERVAL_MS} ms of a ping`);
    }
  }

  #complaint(error: Error): void {
    if (error instanceof AuthorizationError || error instanceof UserAuthenticationExpiredError) {
      this.#reason ??= inWords(error);
    }
    this.#events.problem(inWords(error));
    if (error instanceof PermissionViolationError && error.operation === "publish") this.#events.denied(error.subject);
  }
}
