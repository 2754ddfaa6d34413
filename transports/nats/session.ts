import {
  AuthorizationError,
  type NatsConnection,
  PermissionViolationError,
  UserAuthenticationExpiredError,
} from "@nats-io/transport-node";
import { inWords, type NatsLogin, PING_INTERVAL_MS } from "./dialer.ts";

/** What happens in a {@link NatsSession}. */
export interface SessionEvents {
  /** The server let no message pass to `subject`. */
  denied(subject: string): void;
  /** The server complained of something. */
  problem(message: string): void;
}

/** One connection to a NATS server, from its beginning to its end. */
export class NatsSession {
  readonly connection: NatsConnection;
  readonly url: string;
  /** Settles when the connection is gone, with the reason. */
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

  /** Settles when the server has taken everything that was sent before; rejects when the connection ends instead. */
  async confirm(): Promise<void> {
    const lost = this.ended.then((reason) => {
      throw new Error(reason);
    });
    await Promise.race([this.connection.flush(), lost]);
    // The server refuses before it confirms, so it is known by now; only the end is not there yet.
    if (this.#reason !== undefined) throw new Error(this.#reason);
  }

  /** Ends a connection that is of no use. */
  giveUp(reason: string): void {
    this.#reason ??= reason;
    void this.connection.close();
  }

  async #watch(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (status.type === "error") this.#complaint(status.error);
      // The client would wait until it can write, which on a half-open link may be never.
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
