import {
  AuthorizationError,
  type NatsConnection,
  PermissionViolationError,
  UserAuthenticationExpiredError,
} from "@nats-io/transport-node";
import { inWords, type NatsLogin, PING_INTERVAL_MS } from "./dialer.ts";

/** Events of a {@link NatsSession}. */
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
