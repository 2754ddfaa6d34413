import { JetStreamApiError } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { LinkEvent } from "../../../transports/link/link.ts";
import { LinkEvents } from "../../../transports/link/link-events.ts";
import { NatsDialer } from "../../../transports/nats/dialer.ts";
import { NatsLink } from "../../../transports/nats/link.ts";
import type { NatsConnectionOptions } from "../../../transports/nats/options.ts";
import { systemClock } from "../../core/clock.ts";

/** Called with each new connection, before anything else is sent over it. Must not throw. */
type OnConnection = (connection: NatsConnection) => void;

/**
 * The connection to NATS over which the gateways of one installation share things. It is made in the background and again after every loss;
 * nothing is kept for a later one, so whoever uses it decides what a missing connection means.
 */
export class SharedNats {
  /** The servers, for messages. */
  readonly address: string;
  readonly #link: NatsLink;
  readonly #events: LinkEvents;
  readonly #users: OnConnection[] = [];

  /** Throws `TypeError` for servers, credentials or TLS material that cannot be used. */
  constructor(options: NatsConnectionOptions, onEvent: (event: LinkEvent) => void) {
    const dialer = new NatsDialer(options, "trading-admin-gateway-shared");
    this.address = dialer.address;
    this.#events = new LinkEvents(
      (event) => onEvent({ ...event, message: `Shared by gateways: ${withinSentence(event.message)}` }),
      systemClock,
    );
    this.#link = new NatsLink(dialer, {
      subscribe: (connection) => {
        for (const user of this.#users) user(connection);
      },
      // The session reports it; what is shared never waits for it.
      denied: () => {},
      events: this.#events,
    });
  }

  get connection(): NatsConnection | undefined {
    return this.#link.connection;
  }

  /** Adds a user of all connections to come; before {@link start}. */
  onConnection(user: OnConnection): void {
    this.#users.push(user);
  }

  start(): void {
    this.#link.start();
  }

  async close(): Promise<void> {
    await this.#link.close();
    this.#events.close();
  }
}

/** "Connected to ..." becomes "connected to ...", and "NATS ..." stays. */
function withinSentence(message: string): string {
  return message.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}

/** Copies of what gateways share: one server may be lost. */
export const REPLICAS = 3;

/** Errors of servers that cannot keep that many copies: no cluster, not enough nodes in it, not enough space on them. */
const TOO_MANY: ReadonlySet<number> = new Set([10_074, 10_005, 10_023]);

/** Makes a stream or a bucket with as many copies as the servers can keep: three, or else one. */
export async function withReplicas<T>(make: (replicas: number) => Promise<T>): Promise<T> {
  try {
    return await make(REPLICAS);
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || !TOO_MANY.has(error.code)) throw error;
    return make(1);
  }
}
