import { randomUUID } from "node:crypto";
import type { Msg, NatsConnection, Subscription } from "@nats-io/transport-node";
import { type Clock, monotonicMs, systemClock } from "../../src/core/clock.ts";
import { busMethods } from "../../src/core/operations/table.ts";
import { CLOCK, COUNT, ifGiven, MS, optionsOf, RESERVE, textLike } from "../../src/core/options.ts";
import { within } from "../../src/core/timeout.ts";
import { messageOf } from "../../src/core/values/basics.ts";
import { type EngineHandler, internalFailure } from "../../src/engine/serve.ts";
import { CONTRACT_VERSION } from "../json-rpc/contract.ts";
import { OwnClock } from "../json-rpc/own-clock.ts";
import { encodeReplyPayload, replyBody } from "../json-rpc/replies.ts";
import { DEFAULT_MAX_IN_FLIGHT, DEFAULT_STOP_RESERVE, ON_EVENT } from "../link/link.ts";
import { LinkEvents, linkListener } from "../link/link-events.ts";
import { inWords, NatsDialer } from "./dialer.ts";
import { NatsLink } from "./link.ts";
import { errorHeaders, subjectsOf } from "./messages.ts";
import { MicroService, SERVICE_NAME, ServiceEndpoint } from "./micro-service.ts";
import { NATS_OPTIONS, type NatsBus, type NatsBusOptions } from "./options.ts";
import { type OutgoingReply, Responder, type ResponderLimits } from "./responder.ts";

const DEFAULT_CLOSE_TIMEOUT_MS = 1_000;

const checked = optionsOf<NatsBusOptions>("openNatsBus", {
  ...NATS_OPTIONS,
  subjectPrefix: ifGiven(textLike('"trading-admin.v1"')),
  queueGroup: ifGiven(textLike('"trading-admin-engine"')),
  stateId: ifGiven(textLike('"london"')),
  maxInFlight: ifGiven(COUNT),
  stopReserve: ifGiven(RESERVE),
  closeTimeoutMs: ifGiven(MS),
  clock: ifGiven(CLOCK),
  onEvent: ifGiven(ON_EVENT),
});

/** Timeout of the server's confirmations: end of the subscriptions, receipt of all replies. */
const FLUSH_TIMEOUT_MS = 1_000;

/**
 * Puts an engine's end on a NATS bus (docs/engine/bus.md): a micro service with one subject for each operation. Resolves when it
 * is connected; rejects with a message for the operator when no server can be reached, or takes the login. Later losses
 * are mended in the background.
 *
 * @example
 * const bus = await openNatsBus({ servers: "nats://127.0.0.1:4222" });
 * await serveEngine(engine, bus);
 */
export async function openNatsBus(options: NatsBusOptions): Promise<NatsBus> {
  const dialer = new NatsDialer(checked(options), SERVICE_NAME);
  const bus = new ServiceBus(dialer, options);
  try {
    await bus.open();
    return bus;
  } catch (cause) {
    throw new Error(`No connection to NATS at ${dialer.address}: ${inWords(cause)}`, { cause });
  }
}

/** An engine as a micro service on a link. */
class ServiceBus implements NatsBus {
  readonly #link: NatsLink;
  readonly #limits: ResponderLimits;
  readonly #clock: Clock;
  readonly #ownClock: OwnClock;
  readonly #closeTimeoutMs: number;
  readonly #endpoints: readonly ServiceEndpoint[];
  readonly #service: MicroService;
  readonly #events: LinkEvents;
  #url = "";
  #responder: Responder | undefined;
  #subscriptions: readonly Subscription[] = [];
  #gone: Promise<void> | undefined;

  constructor(dialer: NatsDialer, options: NatsBusOptions) {
    const subjects = subjectsOf(options.subjectPrefix);
    const queueGroup = options.queueGroup ?? SERVICE_NAME;
    this.#endpoints = busMethods.map((name) => new ServiceEndpoint(name, subjects.of(name), queueGroup));
    this.#service = new MicroService({
      name: SERVICE_NAME,
      version: CONTRACT_VERSION,
      description: "Trading engine, for its administration",
      metadata: options.stateId === undefined ? {} : { stateId: options.stateId },
      endpoints: this.#endpoints,
    });
    this.#limits = {
      maxInFlight: options.maxInFlight ?? DEFAULT_MAX_IN_FLIGHT,
      stopReserve: options.stopReserve ?? DEFAULT_STOP_RESERVE,
    };
    this.#clock = options.clock ?? systemClock;
    this.#ownClock = new OwnClock(this.#clock, options.stateId ?? randomUUID());
    this.#closeTimeoutMs = options.closeTimeoutMs ?? DEFAULT_CLOSE_TIMEOUT_MS;
    this.#events = new LinkEvents(linkListener(options.onEvent ?? (() => {})).tell, this.#clock);
    this.#link = new NatsLink(dialer, {
      subscribe: (connection, giveUp) => this.#subscribe(connection, giveUp),
      denied: () => {},
      events: this.#events,
    });
  }

  get url(): string {
    return this.#url;
  }

  async open(): Promise<void> {
    this.#url = await this.#link.open();
  }

  async listen(handler: EngineHandler): Promise<void> {
    const isFirst = this.#responder === undefined;
    this.#responder = new Responder(handler, this.#limits, this.#ownClock);
    if (isFirst) await this.#link.subscribe();
  }

  close(): Promise<void> {
    this.#gone ??= this.#close();
    return this.#gone;
  }

  async #close(): Promise<void> {
    // Requests already dispatched by the server must still get a reply.
    const drained = Promise.allSettled(this.#subscriptions.map((subscription) => subscription.drain()));
    await this.#await(FLUSH_TIMEOUT_MS, drained);
    if (this.#responder) await this.#await(this.#closeTimeoutMs, this.#responder.finished());
    await this.#await(FLUSH_TIMEOUT_MS, this.#link.flush());
    await this.#link.close();
    this.#events.close();
  }

  /** Closing continues when a step of it fails or times out. */
  async #await(ms: number, step: Promise<unknown>): Promise<void> {
    await within(this.#clock, ms, step, `It took longer than ${ms} ms`).catch(() => {});
  }

  #subscribe(connection: NatsConnection, giveUp: (error: Error) => void): void {
    if (!this.#responder || this.#gone) return;
    const operations = this.#endpoints.map((endpoint) =>
      connection.subscribe(endpoint.subject, {
        queue: endpoint.queueGroup,
        callback: (error, message) => (error ? giveUp(error) : this.#serve(endpoint, message)),
      }),
    );
    this.#subscriptions = [...operations, ...this.#service.subscribe(connection)];
  }

  #serve(endpoint: ServiceEndpoint, message: Msg): void {
    const { reply: replyTo } = message;
    if (!replyTo) {
      this.#events.problem(
        "no reply subject",
        `A request to ${endpoint.subject} does not say where to reply; it was not carried out`,
      );
      return;
    }
    const began = monotonicMs(this.#clock);
    this.#responder?.respond(endpoint, message, (reply) => {
      endpoint.count(monotonicMs(this.#clock) - began);
      this.#send(endpoint, replyTo, reply);
    });
  }

  #send(endpoint: ServiceEndpoint, replyTo: string, reply: OutgoingReply): void {
    const reason = this.#publish(endpoint, replyTo, reply);
    if (reason === undefined) return;
    this.#events.problem("not sent", `A reply from ${endpoint.subject} cannot be sent: ${reason}`);
    // Tell the gateway at least that, if there is a connection.
    this.#publish(endpoint, replyTo, { body: replyBody(internalFailure(`The reply cannot be sent: ${reason}`)) });
  }

  /** Sends a reply; returns the reason if that fails. */
  #publish(endpoint: ServiceEndpoint, replyTo: string, { body, time }: OutgoingReply): string | undefined {
    // The request's own connection may be lost; a gateway keeps its inbox across connections.
    const { connection } = this.#link;
    if (!connection) return "there is no connection";
    try {
      const payload = Buffer.from(encodeReplyPayload(body, time));
      const limit = connection.info?.max_payload ?? Number.POSITIVE_INFINITY;
      if (payload.length > limit) return `its ${payload.length} bytes are more than the NATS server accepts (${limit})`;
      connection.publish(replyTo, payload, "error" in body ? { headers: errorHeaders(body.error) } : {});
      if ("error" in body) endpoint.countError(`${body.error.code}:${body.error.message}`);
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }
}
