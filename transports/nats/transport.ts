import { createInbox, type Msg, type NatsConnection } from "@nats-io/transport-node";
import { systemClock } from "../../src/core/clock.ts";
import {
  type EngineExchange,
  type EngineReply,
  type EngineRequest,
  type EngineTransport,
  type LinkState,
  TransportError,
} from "../../src/core/engine/transport.ts";
import type { Gate } from "../../src/core/load/gate.ts";
import type { Logger } from "../../src/core/logger.ts";
import { isEngineRead } from "../../src/core/operations/engine-reads.ts";
import { COUNT, GATE, ifGiven, optionsOf, textLike } from "../../src/core/options.ts";
import { takesTurns } from "../json-rpc/parse-reply.ts";
import { LONG_BYTES, ReplyScan } from "../json-rpc/reply-scan.ts";
import { encodeParams } from "../json-rpc/requests.ts";
import { EngineClock } from "../link/engine-clock.ts";
import { EngineWatch } from "../link/engine-watch.ts";
import { DEFAULT_MAX_BUFFERED_BYTES, ENGINE_CLOCK, ENGINE_WATCH, type LinkEvent, ON_EVENT } from "../link/link.ts";
import { LinkEvents, type LinkListener, linkListener } from "../link/link-events.ts";
import { LinkInflow } from "../link/link-inflow.ts";
import { type PendingRequest, PendingRequests } from "../link/pending-requests.ts";
import { NatsDialer } from "./dialer.ts";
import { EnginePresence, PROBER } from "./engine-presence.ts";
import { PayloadLimits, UnacknowledgedBytes } from "./limits.ts";
import { NatsLink } from "./link.ts";
import { bytesOf, isNoResponders, readReply, type Subjects, subjectsOf } from "./messages.ts";
import { NATS_OPTIONS, type NatsConnectionOptions } from "./options.ts";

export interface NatsTransportOptions extends NatsConnectionOptions {
  /** Prefix of the operations' subjects: `trading-admin.v1` unless given; the engine's end needs the same. */
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
  /**
   * Called with what happens on the link: up, down, an engine that goes or comes, what violates the contract. Without it,
   * that goes to the `log` of the `AdminApi`, and without that, what goes wrong becomes a warning of the process.
   */
  readonly onEvent?: ((event: LinkEvent) => void) | undefined;
}

const checked = optionsOf<NatsTransportOptions>("NatsTransport", {
  ...NATS_OPTIONS,
  subjectPrefix: ifGiven(textLike('"trading-admin.v1"')),
  maxBufferedBytes: ifGiven(COUNT),
  largestInput: ifGiven(COUNT),
  gate: ifGiven(GATE),
  engineClock: ifGiven(ENGINE_CLOCK),
  engineWatch: ifGiven(ENGINE_WATCH),
  onEvent: ifGiven(ON_EVENT),
});

interface Published extends PendingRequest {
  readonly subject: string;
  /** Whether the engine may be without the operation. */
  readonly isOptional: boolean;
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
  readonly #subjects: Subjects;
  readonly #maxBufferedBytes: number;
  readonly #gate: Gate | undefined;
  readonly #listener: LinkListener;
  readonly #events: LinkEvents;
  readonly #engineClock: EngineClock;
  /** One inbox for replies over all connections. */
  readonly #inbox: string;
  readonly #pending = new PendingRequests<string, Published>();
  readonly #presence: EnginePresence;
  readonly #limits: PayloadLimits;
  #outflow: UnacknowledgedBytes | undefined;
  #lastId = 0;
  #gone: Promise<void> | undefined;
  #started = false;

  constructor(options: NatsTransportOptions) {
    const dialer = new NatsDialer(checked(options), "trading-admin-gateway");
    this.#address = dialer.address;
    this.#subjects = subjectsOf(options.subjectPrefix);
    this.#maxBufferedBytes = options.maxBufferedBytes ?? DEFAULT_MAX_BUFFERED_BYTES;
    this.#gate = options.gate;
    this.#listener = linkListener(options.onEvent);
    const onEvent = this.#listener.tell;
    this.#events = new LinkEvents(onEvent, systemClock);
    this.#engineClock = options.engineClock ?? new EngineClock(onEvent);
    this.#limits = new PayloadLimits(this.#address, options.largestInput ?? 0, onEvent);
    this.#presence = this.#presenceOver(options.engineWatch ?? new EngineWatch(onEvent));
    this.#inbox = `${createInbox(this.#subjects.inboxes)}.`;
    this.#link = new NatsLink(dialer, {
      subscribe: (connection, giveUp) => this.#subscribe(connection, giveUp),
      denied: (subject) => this.#denied(subject),
      events: this.#events,
    });
  }

  /** `down` also while no engine is found behind the connection; a request is sent all the same. */
  get state(): LinkState {
    return this.#link.connection && !this.#gone && this.#presence.isHere ? "up" : "down";
  }

  get knowsClock(): boolean {
    return this.#engineClock.isKnown;
  }

  /** Resolves immediately and connects in the background. Rejects when the transport has been closed. */
  async start(log?: Logger): Promise<void> {
    if (this.#gone) throw new Error("The transport has been closed and cannot be started again");
    if (this.#started) return;
    this.#started = true;
    this.#listener.useLog(log);
    this.#link.start();
  }

  exchange(request: EngineRequest): EngineExchange {
    const { connection } = this.#link;
    const outflow = this.#outflow;
    if (!connection || !outflow || this.#gone) {
      if (request.lane === "stop") this.#link.hasten();
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
    const closed = new TransportError("unavailable", "The link to the engine was closed", { sent: true });
    for (const [token] of this.#pending.all) this.#pending.fail(token, closed);
    this.#events.close();
    return this.#gone;
  }

  #publish(connection: NatsConnection, { method, lane }: EngineRequest, payload: Uint8Array): EngineExchange {
    this.#lastId += 1;
    const token = String(this.#lastId);
    const subject = this.#subjects.of(method);
    const isOptional = isEngineRead(method);
    const exchange = this.#pending.add(token, { subject, isOptional, lane, sentAt: this.#engineClock.moment() });
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
    this.#outflow = new UnacknowledgedBytes(connection, this.#maxBufferedBytes);
    const inflow = new LinkInflow({
      clock: systemClock,
      gate: this.#gate,
      isStopWaiting: () => this.#pending.haveStop,
      onFlood: (reason) => giveUp(new Error(`somebody floods the gateway's inbox: ${reason}`)),
    });
    connection.subscribe(`${this.#inbox}*`, {
      callback: (error, message) => (error ? giveUp(error) : this.#receive(message, inflow)),
    });
    if (!this.#gone)
      this.#presence.connected((to, payload, token) => publishTo(connection, to, payload, this.#inbox + token));
  }

  #presenceOver(watch: EngineWatch): EnginePresence {
    const subject = this.#subjects.of(PROBE);
    const way = {
      subject,
      now: () => this.#engineClock.moment(),
      isConnected: () => this.#link.connection !== undefined,
      probe: () => probePayload(this.#engineClock),
      restarted: () => this.#engineClock.doubt(),
    };
    return new EnginePresence(way, watch);
  }

  #denied(subject: string): void {
    this.#presence.denied(subject);
    this.#deny(subject);
  }

  /** A reply is a sign of the engine, and may be nearly too large. */
  #heard({ subject, sentAt }: Published, { data }: Msg): void {
    this.#presence.replied(sentAt);
    this.#limits.checkReply(subject, data.length);
  }

  /** A message is read only if a request waits for it, or to compare it with the first reply. */
  #receive(message: Msg, inflow: LinkInflow): void {
    if (inflow.isFlooded) return;
    const token = message.subject.slice(this.#inbox.length);
    if (this.#presence.take(token, message)) {
      inflow.unwanted();
      return;
    }
    const sent = this.#pending.get(token);
    if (sent && isNoResponders(message)) {
      this.#pending.settle(token, this.#unheard(sent));
    } else if (sent || (this.#pending.standingOf(token) === "answered" && message.data.length < LONG_BYTES)) {
      if (sent) this.#heard(sent, message);
      const scan = new ReplyScan(bytesOf(message));
      const use = (): void => this.#settle(token, readReply(scan, this.#gate), message.data.length, inflow);
      void inflow.read(scan, takesTurns(message.data, sent?.lane ?? "read"), use);
    } else {
      this.#unasked(token, inflow);
    }
  }

  /** Result of a request without responders: it reached no engine, or one that does not have the operation. */
  #unheard({ subject, isOptional, sentAt }: Published): EngineReply | TransportError {
    const message = `No engine listens to ${subject}`;
    if (this.#presence.lacks(subject, isOptional)) return { ok: false, refusal: "unsupported", message };
    this.#engineClock.doubt();
    this.#presence.missed(sentAt);
    return notSent("unavailable", message);
  }

  #settle(token: string, reply: EngineReply | TransportError, bytes: number, inflow: LinkInflow): void {
    const isUnderstood = !(reply instanceof TransportError);
    const sent = this.#pending.get(token);
    if (!sent) {
      this.#unasked(token, inflow, isUnderstood && this.#pending.compare(token, reply, bytes));
      return;
    }
    if (isUnderstood && reply.now !== undefined) this.#engineClock.replied(sent.sentAt, reply.now, reply.clock);
    this.#pending.settle(token, reply, bytes);
  }

  #unasked(token: string, inflow: LinkInflow, contradicts = false): void {
    const what = this.#pending.unasked(token, contradicts, () => inflow.unwanted());
    this.#events.problem(what, `A reply came for request ${JSON.stringify(token.slice(0, 40))}, ${what}`);
  }

  /**
   * Fails one request to a subject to which the server lets nothing pass. It does not say which one: with several, older
   * ones may have passed under other permissions, so that nothing is certain but for the last.
   */
  #deny(subject: string): void {
    const [oldest, ...more] = this.#pending.all.filter(([, sent]) => sent.subject === subject);
    if (!oldest) return;
    const message = `The NATS server does not let this user publish to ${subject}`;
    this.#pending.fail(oldest[0], new TransportError("unavailable", message, { sent: more.length > 0 }));
  }
}

/** The read that shows whether an engine listens, of which there is one in any language and version. */
const PROBE = "getTradingStatus";
const PROBE_MS = 10_000;

function probePayload(engineClock: EngineClock): string {
  const context = { ...PROBER, deadline: Date.now() + PROBE_MS, timeLeft: PROBE_MS };
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
