import { type Msg, type NatsConnection, nuid, type Subscription } from "@nats-io/transport-node";
import type { BusMethod } from "../../src/core/operations/table.ts";

/** Name of an engine as a micro service, and of the queue group that engines share. */
export const SERVICE_NAME = "trading-admin-engine";

const NANOSECONDS_PER_MS = 1e6;

/** One subject of a service, and what is counted of it. */
export class ServiceEndpoint {
  readonly name: BusMethod;
  readonly subject: string;
  readonly queueGroup: string;
  #requests = 0;
  #errors = 0;
  #lastError = "";
  #milliseconds = 0;

  constructor(name: BusMethod, subject: string, queueGroup: string) {
    this.name = name;
    this.subject = subject;
    this.queueGroup = queueGroup;
  }

  /** Counts a request that had its reply and the time that it took. */
  count(milliseconds: number): void {
    this.#requests += 1;
    this.#milliseconds += milliseconds;
  }

  countError(error: string): void {
    this.#errors += 1;
    this.#lastError = error;
  }

  get info(): object {
    return { ...this.#identity, metadata: {} };
  }

  get stats(): object {
    const nanoseconds = Math.round(this.#milliseconds * NANOSECONDS_PER_MS);
    return {
      ...this.#identity,
      num_requests: this.#requests,
      num_errors: this.#errors,
      last_error: this.#lastError,
      processing_time: nanoseconds,
      average_processing_time: this.#requests === 0 ? 0 : Math.trunc(nanoseconds / this.#requests),
    };
  }

  get #identity(): object {
    return { name: this.name, subject: this.subject, queue_group: this.queueGroup };
  }
}

export interface MicroServiceDescription {
  readonly name: string;
  /** Semantic version. */
  readonly version: string;
  readonly description: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly endpoints: readonly ServiceEndpoint[];
}

/** Replies to what NATS tools ask of a micro service: `$SRV.PING`, `$SRV.INFO` and `$SRV.STATS` (NATS ADR-32). */
export class MicroService {
  readonly #description: MicroServiceDescription;
  readonly #id = nuid.next();
  readonly #started = new Date().toISOString();

  constructor(description: MicroServiceDescription) {
    this.#description = description;
  }

  /** Listens on a connection; the service keeps its id and its counts from one to the next. */
  subscribe(connection: NatsConnection): readonly Subscription[] {
    const { name } = this.#description;
    return Object.entries(this.#replies()).flatMap(([verb, reply]) => {
      const type = `io.nats.micro.v1.${verb.toLowerCase()}_response`;
      const callback = (error: Error | null, message: Msg): void => {
        // Tools find no engine when the server does not let it listen here; the link reports that.
        if (!error) message.respond(this.#payload({ type, ...reply() }, connection));
      };
      const subjects = [`$SRV.${verb}`, `$SRV.${verb}.${name}`, `$SRV.${verb}.${name}.${this.#id}`];
      return subjects.map((subject) => connection.subscribe(subject, { callback }));
    });
  }

  /** Without its endpoints where the server carries no more: the client would close the connection over a payload that is too large. */
  #payload(reply: object, { info }: NatsConnection): string {
    const whole = JSON.stringify(reply);
    const carried = info?.max_payload ?? Number.POSITIVE_INFINITY;
    return Buffer.byteLength(whole) <= carried ? whole : JSON.stringify({ ...reply, endpoints: [] });
  }

  #replies(): Readonly<Record<"PING" | "INFO" | "STATS", () => object>> {
    const { name, version, description, metadata, endpoints } = this.#description;
    const identity = { name, id: this.#id, version, metadata };
    const started = this.#started;
    return {
      PING: () => identity,
      INFO: () => ({ ...identity, description, endpoints: endpoints.map(({ info }) => info) }),
      STATS: () => ({ ...identity, started, endpoints: endpoints.map(({ stats }) => stats) }),
    };
  }
}
