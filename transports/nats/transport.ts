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
import { DEFAULT_MAX_BUFFERED_BYTES } from "../link/limits.ts";
import type { LinkEvent } from "../link/link.ts";
import type { NatsConnectionOptions } from "./connection-options.ts";
import { NatsDialer } from "./dialer.ts";
import { NatsLink } from "./link.ts";
import { subjectMaker } from "./messages.ts";
import { Outflow } from "./outflow.ts";
import { PendingRequests, type Waiter } from "./pending-requests.ts";
import { isNoResponders, readReply } from "./reply-message.ts";

/** Options of a {@link NatsTransport}. */
export interface NatsTransportOptions extends NatsConnectionOptions {
  /** What the subjects of the operations begin with: `trading-admin.v1` unless given; the engine's end needs the same. */
  readonly subjectPrefix?: string | undefined;
  /** Bytes that may be on their way to the server (8 MiB); beyond it reads and changes are refused as overload, stops 1 MiB later. */
  readonly maxBufferedBytes?: number | undefined;
  /** Scheduler for the parsing of long replies; share it with the `AdminApi`. */
  readonly gate?: Gate | undefined;
  /** Estimates the offset of the engine's clock; links to one engine may share it. */
  readonly engineClock?: EngineClock | undefined;
  /** Called when the link goes up or down, when something violates the contract, and when the engine's clock is off. Must not throw. */
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
    this.#link = new NatsLink(dialer, {
      subscribe: (connection, giveUp) => this.#subscribe(connection, giveUp),
      denied: (subject) => this.#pending.deny(subject),
      onEvent: this.#onEvent,
    });
  }

  get state(): LinkState {
    return this.#link.connection && !this.#gone ? "up" : "down";
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
    const limit = connection.info?.max_payload ?? Number.POSITIVE_INFINITY;
    if (payload.length > limit) {
      const sizes = `The request has ${payload.length} bytes, and the NATS server takes ${limit} at most`;
      throw notSent("too-large", `${sizes}; nothing was sent`);
    }
    const exchange = this.#publish(connection, request, payload);
    outflow.add(payload.length);
    return exchange;
  }

  close(): Promise<void> {
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
    this.#outflow = new Outflow(connection, this.#maxBufferedBytes);
    connection.subscribe(`${this.#inbox}*`, {
      callback: (error, message) => (error ? giveUp(error) : this.#receive(message)),
    });
  }

  #receive(message: Msg): void {
    const token = message.subject.slice(this.#inbox.length);
    const waiter = this.#pending.take(token);
    if (!waiter) {
      const id = JSON.stringify(token.slice(0, 40));
      const text = `A reply came for request ${id}, which had its reply before or is not awaited`;
      this.#onEvent({ kind: "problem", message: text });
    } else if (isNoResponders(message)) {
      waiter.reject(notSent("unavailable", `No engine listens to ${waiter.subject}`));
    } else {
      this.#read(message, waiter);
    }
  }

  #read(message: Msg, waiter: Waiter): void {
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

function notSent(fault: "unavailable" | "overloaded" | "too-large", message: string): TransportError {
  return new TransportError(fault, message, { sent: false });
}
