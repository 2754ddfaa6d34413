import { setTimeout as pause } from "node:timers/promises";
import type { NatsConnection } from "@nats-io/transport-node";
import type { LinkEvent } from "../link/link.ts";
import { Backoff, DEFAULT_BACKOFF } from "../link/link.ts";
import type { NatsDialer } from "./dialer.ts";
import { inWords } from "./dialer.ts";
import { NatsSession } from "./session.ts";

/** What an end of the bus does with its link. */
export interface LinkUser {
  /** Subscribes on a new connection. `giveUp` is for subscriptions that the server refuses: the link is no use without. */
  subscribe(connection: NatsConnection, giveUp: (error: Error) => void): void;
  /** The server let no message pass to `subject`. */
  denied(subject: string): void;
  onEvent(event: LinkEvent): void;
}

/** Keeps a connection to one of the servers: connects, and again after every loss, until it is closed. */
export class NatsLink {
  readonly #dialer: NatsDialer;
  readonly #user: LinkUser;
  readonly #backoff = new Backoff(DEFAULT_BACKOFF);
  readonly #closing = new AbortController();
  #session: NatsSession | undefined;
  #isUp = false;
  #running: Promise<void> = Promise.resolve();
  #lastDown: string | undefined;

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

  /** Connects, and rejects when that is not possible now; returns the server's URL. */
  async open(): Promise<string> {
    const session = await this.#connect();
    this.#running = this.#run(session);
    return session.url;
  }

  /** Subscribes again on the connection that is there, or about to be; one that comes later does so by itself. */
  async subscribe(): Promise<void> {
    if (this.#session) await this.#subscribe(this.#session);
  }

  /** Settles when the server has taken everything that was sent before, or the connection is gone. */
  async flush(): Promise<void> {
    // Nothing is left to be sent on a connection that is gone.
    await this.#session?.confirm().catch(() => {});
  }

  /** Disconnects; what is not written yet may be lost. Resolves when nothing is left. */
  async close(): Promise<void> {
    this.#closing.abort();
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
      } catch (error) {
        this.#down(inWords(error));
      }
      session = undefined;
      // Only close() ends the wait early, and then there is nothing more to do.
      await pause(this.#backoff.next(), undefined, { signal: this.#closing.signal }).catch(() => {});
    }
  }

  async #connect(): Promise<NatsSession> {
    const session = new NatsSession(await this.#dialer.dial(this.#closing.signal), {
      denied: (subject) => this.#user.denied(subject),
      problem: (message) => this.#problem(message),
    });
    this.#session = session;
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
    this.#user.subscribe(session.connection, (error) => session.giveUp(inWords(error)));
    await session.confirm();
  }

  #up(session: NatsSession): void {
    this.#isUp = true;
    this.#backoff.reset();
    this.#lastDown = undefined;
    this.#user.onEvent({ kind: "up", message: `Connected to the NATS server at ${session.url}` });
  }

  #down(reason: string): void {
    this.#isUp = false;
    this.#session = undefined;
    if (this.#closing.signal.aborted) return;
    // One event for the same reason, however many attempts fail.
    if (reason !== this.#lastDown) {
      const message = `No connection to the NATS server at ${this.#dialer.address}: ${reason}`;
      this.#user.onEvent({ kind: "down", message });
    }
    this.#lastDown = reason;
  }

  #problem(message: string): void {
    this.#user.onEvent({ kind: "problem", message: `NATS server at ${this.#dialer.address}: ${message}` });
  }
}
