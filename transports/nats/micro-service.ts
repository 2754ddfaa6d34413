import { type Msg, type NatsConnection, nuid, type Subscription } from "@nats-io/transport-node";

/** One subject of a service, and what is counted of it. */
export class Endpoint {
  readonly name: string;
  readonly subject: string;
  readonly queueGroup: string;
  #requests = 0;
  #errors = 0;
  #lastError = "";
  #nanoseconds = 0;

  constructor(name: string, subject: string, queueGroup: string) {
    this.name = name;
    this.subject = subject;
    this.queueGroup = queueGroup;
  }

  /** Counts one request; `error` is how its answer named the failure. */
  count(milliseconds: number, error: string | undefined): void {
    this.#requests += 1;
    this.#nanoseconds += Math.round(milliseconds * 1e6);
    if (error === undefined) return;
    this.#errors += 1;
    this.#lastError = error;
  }

  get info(): object {
    return { name: this.name, subject: this.subject, queue_group: this.queueGroup, metadata: {} };
  }

  get stats(): object {
    return {
      name: this.name,
      subject: this.subject,
      queue_group: this.queueGroup,
      num_requests: this.#requests,
      num_errors: this.#errors,
      last_error: this.#lastError,
      processing_time: this.#nanoseconds,
      average_processing_time: this.#requests === 0 ? 0 : Math.round(this.#nanoseconds / this.#requests),
    };
  }
}

export interface MicroServiceOptions {
  readonly name: string;
  /** Semantic version of the contract. */
  readonly version: string;
  readonly description: string;
  readonly endpoints: readonly Endpoint[];
}

/** Answers what NATS tools ask of a micro service: `$SRV.PING`, `$SRV.INFO` and `$SRV.STATS` (NATS ADR-32). */
export function answerServiceRequests(
  connection: NatsConnection,
  { name, version, description, endpoints }: MicroServiceOptions,
): Subscription[] {
  const id = nuid.next();
  const started = new Date().toISOString();
  const identity = { name, id, version, metadata: {} };
  const answers: Readonly<Record<string, () => object>> = {
    PING: () => ({ type: "io.nats.micro.v1.ping_response", ...identity }),
    INFO: () => ({
      type: "io.nats.micro.v1.info_response",
      ...identity,
      description,
      endpoints: endpoints.map((endpoint) => endpoint.info),
    }),
    STATS: () => ({
      type: "io.nats.micro.v1.stats_response",
      ...identity,
      started,
      endpoints: endpoints.map((endpoint) => endpoint.stats),
    }),
  };
  return Object.entries(answers).flatMap(([verb, answer]) => {
    const callback = (error: Error | null, message: Msg): void => {
      if (!error) message.respond(JSON.stringify(answer()));
    };
    const subjects = [`$SRV.${verb}`, `$SRV.${verb}.${name}`, `$SRV.${verb}.${name}.${id}`];
    return subjects.map((subject) => connection.subscribe(subject, { callback }));
  });
}
