import { createInbox, type Msg, type NatsConnection } from "@nats-io/transport-node";
import {
  type EngineExchange,
  type EngineReply,
  type EngineRequest,
  type EngineTransport,
  type LinkState,
  TransportError,
} from "../../src/core/engine/transport.ts";
import { ENGINE_CALLER } from "../../src/core/load/caller-queue.ts";
import type { Gate } from "../../src/core/load/gate.ts";
import { atOnce } from "../../src/core/load/steps.ts";
import type { OperationName } from "../../src/core/operations/table.ts";
import { takesTurns } from "../json-rpc/parse-in-steps.ts";
import { encodeParams } from "../json-rpc/requests.ts";
import { EngineClock } from "../link/engine-clock.ts";
import { EngineWatch } from "../link/engine-watch.ts";
import { DEFAULT_MAX_BUFFERED_BYTES } from "../link/limits.ts";
import type { LinkEvent } from "../link/link.ts";
import type { NatsConnectionOptions } from "./connection-options.ts";
import { NatsDialer } from "./dialer.ts";
import { EnginePresence } from "./engine-presence.ts";
import { NatsLink } from "./link.ts";
import { subjectMaker } from "./messages.ts";
import { Outflow } from "./outflow.ts";
import { PayloadLimits } from "./payload-limits.ts";
import { PendingRequests, type Waiter } from "./pending-requests.ts";
import { isNoResponders, readReply } from "./reply-message.ts";

/** Options of a {@link NatsTransport}. */
export interface NatsTransportOptions extends NatsConnectionOptions {
  /** What the subjects of the operations begin with: `trading-admin.v1` unless given; the engine's end needs the same. */
  readonly subjectPrefix?: string | undefined;
  /** Bytes that may be on their way to the server (8 MiB); beyond it reads and changes are refused as overload, stops 1 MiB later. */
  readonly maxBufferedBytes?: number | undefined;
  /** Bytes of the largest input that the host accepts: a server that carries less is reported when it is connected to. */
  readonly largestInput?: number | undefined;
  /** Scheduler for the parsing of long replies; share it with the `AdminApi`. */
  readonly gate?: Gate | undefined;
  /** Estimates the offset of the engine's clock; links to one engine may share it. */
  readonly engineClock?: EngineClock | undefined;
  /** Watches which engines listen; links to one engine may share it. */
  readonly engineWatch?: EngineWatch | undefined;
  /** Called with what happens on the link: up, down, an engine that goes or comes, what violates the contract. Must not throw. */
  readonly onEvent?: ((event: LinkEvent) => void) | undefined;
}

/**
 * The gateway's end of a NATS bus (docs/engine/bus.md). It connects in the background, and again after every loss, until it is
 * closed. Nothing is sent without a connection and nothing is kept for later. Requests that were sent on a connection that
 * is lost stay pending, as their replies may still come over the next one.
 * The constructor throws `TypeError` for servers, credentials or TLS material that cannot be used.
 *
 * @example
 * const transport = new NatsTransport({ servers: "nats://127.0.0.1:4222" });
 * const api = new AdminApi({ transport, audit });
 */
export class NatsTransport implements EngineTransport {
  readonly #link: NatsLink;
  readonly #address: string;
  readonly #subjectOf: (name: OperationName) => string;
  readonly #maxBufferedBytes: number;
  readonly #gate: Gate | undefined;
  readonly #onEvent: (event: LinkEvent) => void;
  readonly #engineClock: EngineClock;
  /** One inbox for replies over all connections. */
  readonly #inbox = `${createInbox()}.`;
  readonly #pending = new PendingRequests();
  readonly #presence: EnginePresence;
  readonly #limits: PayloadLimits;
  #outflow: Outflow | undefined;
  #lastId = 0;
  #gone: Promise<void> | undefined;
  #started = false;

  constructor(options: NatsTransportOptions) {
    const dialer = new NatsDialer(options, "trading-admin-gateway");
    this.#address = dialer.address;
    this.#subjectOf = subjectMaker(options.subjectPrefix);
    this.#maxBufferedBytes = options.maxBufferedBytes ?? DEFAULT_MAX_BUFFERED_BYTES;
    this.#gate = options.gate;
    this.#onEvent = options.onEvent ?? (() => {});
    this.#engineClock = options.engineClock ?? new EngineClock(this.#onEvent);
    this.#limits = new PayloadLimits(this.#address, options.largestInput ?? 0, this.#onEvent);
    this.#presence = this.#presenceOver(options.engineWatch ?? new EngineWatch(this.#onEvent));
    this.#link = new NatsLink(dialer, {
      subscribe: (connection, giveUp) => this.#subscribe(connection, giveUp),
      denied: (subject) => this.#denied(subject),
      onEvent: this.#onEvent,
    });
  }

  /** `down` also while no engine is found behind the connection; a request is sent all the same. */
  get state(): LinkState {
    return this.#link.connection && !this.#gone && this.#presence.isHere ? "up" : "down";
  }

  get knowsClock(): boolean {
    return this.#engineClock.isKnown;
  }

  /** Resolves at once and connects in the background. Rejects when the transport has been closed. */
  async start(): Promise<void> {
    if (this.#gone) throw new Error("The transport has been closed and cannot be started again");
    if (this.#started) return;
    this.#started = true;
    this.#link.start();
  }

  exchange(request: EngineRequest): EngineExchange {
    const { connection } = this.#link;
    const outflow = this.#outflow;
    if (!connection || !outflow || this.#gone) {
      throw notSent("unavailable", `There is no connection to the NATS server at ${this.#address}`);
    }
    if (outflow.isFull(request.lane)) throw notSent("overloaded", "Too much waits to be sent to the NATS server");
    const payload = Buffer.from(encodeParams(request, this.#engineClock));
    this.#limits.checkRequest(payload.length);
    const exchange = this.#publish(connection, request, payload);
    outflow.add(payload.length);
    return exchange;
  }

  close(): Promise<void> {
    this.#presence.close();
    this.#gone ??= this.#link.close();
    this.#pending.failAll("The link to the engine was closed");
    return this.#gone;
  }

  #publish(connection: NatsConnection, { method, lane }: EngineRequest, payload: Uint8Array): EngineExchange {
    this.#lastId += 1;
    const token = String(this.#lastId);
    const subject = this.#subjectOf(method);
    const exchange = this.#pending.add(token, { subject, lane, sentAt: this.#engineClock.moment() });
    try {
      connection.publish(subject, payload, { reply: this.#inbox + token });
      return exchange;
    } catch (cause) {
      // `publish` throws before sending: the connection has just been lost.
      exchange.abandon();
      throw new TransportError("unavailable", "The connection to the NATS server was lost", { sent: false, cause });
    }
  }

  #subscribe(connection: NatsConnection, giveUp: (error: Error) => void): void {
    this.#limits.connected(connection);
    this.#outflow = new Outflow(connection, this.#maxBufferedBytes);
    connection.subscribe(`${this.#inbox}*`, {
      callback: (error, message) => (error ? giveUp(error) : this.#receive(message)),
    });
    if (!this.#gone)
      this.#presence.connected((to, payload, token) => publishTo(connection, to, payload, this.#inbox + token));
  }

  #presenceOver(watch: EngineWatch): EnginePresence {
    const subject = this.#subjectOf(PROBE);
    const way = {
      subject,
      now: () => this.#engineClock.moment(),
      isConnected: () => this.#link.connection !== undefined,
      probe: () => probePayload(this.#engineClock),
    };
    return new EnginePresence(way, watch);
  }

  #denied(subject: string): void {
    this.#presence.denied(subject);
    this.#pending.deny(subject);
  }

  #receive(message: Msg): void {
    const token = message.subject.slice(this.#inbox.length);
    if (this.#presence.take(token, message)) return;
    const waiter = this.#pending.take(token);
    if (!waiter) {
      const id = JSON.stringify(token.slice(0, 40));
      const text = `A reply came for request ${id}, which had its reply before or is not awaited`;
      this.#onEvent({ kind: "problem", message: text });
    } else if (isNoResponders(message)) {
      this.#presence.missed(waiter.sentAt);
      waiter.reject(notSent("unavailable", `No engine listens to ${waiter.subject}`));
    } else {
      this.#presence.replied(waiter.sentAt);
      this.#read(message, waiter);
    }
  }

  #read(message: Msg, waiter: Waiter): void {
    this.#limits.checkReply(waiter.subject, message.data.length);
    const gate = this.#gate;
    const steps = readReply(message, gate);
    if (!gate || !takesTurns(message.data, () => waiter.lane === "read")) this.#settle(waiter, atOnce(steps));
    else void gate.steps(ENGINE_CALLER, steps).then((reply) => this.#settle(waiter, reply));
  }

  #settle(waiter: Waiter, reply: EngineReply | TransportError): void {
    if (reply instanceof TransportError) {
      waiter.reject(reply);
      return;
    }
    if (reply.now !== undefined) this.#engineClock.replied(waiter.sentAt, reply.now);
    waiter.resolve(reply);
  }
}

/** The read that shows whether an engine listens, of which there is one in any language and version. */
const PROBE = "getTradingStatus";
const PROBE_MS = 10_000;

function probePayload(engineClock: EngineClock): string {
  const context = { user: "gateway", requestId: "presence", deadline: Date.now() + PROBE_MS, timeLeft: PROBE_MS };
  return encodeParams({ method: PROBE, input: { projectionPath: "" }, lane: "read", context }, engineClock);
}

function publishTo(connection: NatsConnection, subject: string, payload: string, reply: string): void {
  try {
    connection.publish(subject, payload, { reply });
  } catch {
    // The connection has just been lost, which the link reports.
  }
}

function notSent(fault: "unavailable" | "overloaded", message: string): TransportError {
  return new TransportError(fault, message, { sent: false });
}
