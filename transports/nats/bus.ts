import { connect, headers, type Msg, type NatsConnection, type Subscription } from "@nats-io/transport-node";
import { operationNames } from "../../src/core/operations.ts";
import type { EngineReply } from "../../src/core/transport.ts";
import type { EngineBus, EngineHandler } from "../../src/engine/serve.ts";
import { MESSAGE_FAULT_CODES } from "../json-rpc/codes.ts";
import { CONTRACT_NAME, CONTRACT_VERSION } from "../json-rpc/contract.ts";
import { faultBody, OVERLOADED, type ReplyBody, replyBody } from "../json-rpc/replies.ts";
import { decodeParams, MessageFault } from "../json-rpc/requests.ts";
import type { LinkEvent } from "../link-event.ts";
import { clientOptions, connectReason, type NatsConnectionOptions, serverList } from "./connection-options.ts";
import { answerServiceRequests, Endpoint } from "./micro-service.ts";

/** Options of {@link openNatsBus}. */
export interface NatsBusOptions extends NatsConnectionOptions {
  /** What the subjects of the operations begin with; `trading-admin.v1` unless given. */
  readonly subjectPrefix?: string;
  /** Processes in one queue group share the requests; `trading-admin-engine` unless given. */
  readonly queueGroup?: string;
  /** Requests that may be under way at once (1,024); further ones are refused as overload. */
  readonly maxInFlight?: number;
  /** Stops that may be under way beyond `maxInFlight` (64). */
  readonly stopReserve?: number;
  /** Milliseconds that requests under way are given for their answers when the bus closes (1,000). */
  readonly closePatienceMs?: number;
  /** Told when the link comes and goes, and when something breaks the contract. Must not throw. */
  readonly onEvent?: (event: LinkEvent) => void;
}

/** The engine's end of a NATS bus. */
export interface NatsBus extends EngineBus {
  /** The server it is connected to. */
  readonly url: string;
  /** Hands every request that arrives from now on to the handler, in the order of arrival; resolves when they can arrive. */
  listen(handler: EngineHandler): Promise<void>;
  /** Takes no more requests, gives those under way a moment for their answers, and disconnects. */
  close(): Promise<void>;
}

/** Name of the engine as a NATS micro service, and of the queue group that its processes share. */
const SERVICE_NAME = "trading-admin-engine";

const DEFAULT_MAX_IN_FLIGHT = 1_024;
const DEFAULT_STOP_RESERVE = 64;
const DEFAULT_CLOSE_PATIENCE_MS = 1_000;

/**
 * Connects an engine to NATS as a micro service, with a subject for each operation (docs/bus.md). Rejects when no server
 * takes the connection; after that the client reconnects by itself.
 *
 * @example
 * await serveEngine(engine, await openNatsBus({ servers: "nats://127.0.0.1:4222" }));
 */
export async function openNatsBus(options: NatsBusOptions): Promise<NatsBus> {
  try {
    return new ConnectedBus(await connect(clientOptions(options, "trading-admin engine")), options);
  } catch (cause) {
    const servers = serverList(options).join(", ");
    throw new Error(`No connection to NATS (${servers}): ${connectReason(cause)}`, { cause });
  }
}

class ConnectedBus implements NatsBus {
  readonly url: string;
  readonly #connection: NatsConnection;
  readonly #options: NatsBusOptions;
  readonly #onEvent: (event: LinkEvent) => void;
  readonly #underWay = new Set<Promise<void>>();
  #subscriptions: Subscription[] = [];
  #closing: Promise<void> | undefined;
  #handler: EngineHandler = () => ({ ok: false, refusal: "unavailable", message: "The engine has not started yet" });

  constructor(connection: NatsConnection, options: NatsBusOptions) {
    this.url = `nats://${connection.getServer()}`;
    this.#connection = connection;
    this.#options = options;
    this.#onEvent = options.onEvent ?? (() => {});
    void this.#watch();
  }

  async listen(handler: EngineHandler): Promise<void> {
    this.#handler = handler;
    if (this.#subscriptions.length === 0) this.#subscribe();
    await this.#connection.flush();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    // Also for a server that is away: nothing can be finished with it.
    const impatience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#options.closePatienceMs ?? DEFAULT_CLOSE_PATIENCE_MS);
    });
    await Promise.race([this.#finish(), impatience]);
    clearTimeout(timer);
    await this.#connection.close();
  }

  /** Takes no more requests and lets those under way be answered. */
  async #finish(): Promise<void> {
    await Promise.allSettled(this.#subscriptions.map((subscription) => subscription.drain()));
    await Promise.all(this.#underWay);
    await Promise.allSettled([this.#connection.flush()]);
  }

  #subscribe(): void {
    const { subjectPrefix = CONTRACT_NAME, queueGroup = SERVICE_NAME } = this.#options;
    const endpoints = operationNames.map((name) => new Endpoint(name, `${subjectPrefix}.${name}`, queueGroup));
    const subscriptions = endpoints.map((endpoint) =>
      this.#connection.subscribe(endpoint.subject, {
        queue: queueGroup,
        callback: (error, message) => {
          if (error) this.#onEvent({ kind: "problem", message: `NATS: ${error.message}` });
          else this.#serve(endpoint, message);
        },
      }),
    );
    const service = { name: SERVICE_NAME, version: CONTRACT_VERSION, description: "Engine of a trading installation" };
    this.#subscriptions = [...subscriptions, ...answerServiceRequests(this.#connection, { ...service, endpoints })];
  }

  #serve(endpoint: Endpoint, message: Msg): void {
    const began = performance.now();
    const answer = (body: ReplyBody): void => {
      endpoint.count(performance.now() - began, "error" in body ? errorText(body.error) : undefined);
      this.#respond(message, body);
    };
    const reply = this.#ask(endpoint.name, message);
    if (reply instanceof Promise) this.#track(reply.then(answer));
    else answer(reply);
  }

  #track(answering: Promise<void>): void {
    const answered = answering.finally(() => this.#underWay.delete(answered));
    this.#underWay.add(answered);
  }

  #ask(method: string, message: Msg): ReplyBody | Promise<ReplyBody> {
    try {
      const request = decodeParams(method, parsed(message));
      const { maxInFlight = DEFAULT_MAX_IN_FLIGHT, stopReserve = DEFAULT_STOP_RESERVE } = this.#options;
      const limit = maxInFlight + (request.lane === "stop" ? stopReserve : 0);
      if (this.#underWay.size >= limit) return replyBody(OVERLOADED);
      const reply = this.#handler(request);
      return reply instanceof Promise ? reply.then(replyBody, failed) : replyBody(reply);
    } catch (error) {
      if (!(error instanceof MessageFault)) return failed(error);
      this.#onEvent({ kind: "problem", message: `NATS: ${method}: ${error.message}` });
      return faultBody(error);
    }
  }

  #respond(message: Msg, body: ReplyBody): void {
    try {
      message.respond(JSON.stringify(body), "error" in body ? { headers: errorHeaders(body.error) } : {});
    } catch (error) {
      this.#onEvent({ kind: "problem", message: `NATS: an answer could not be sent: ${connectReason(error)}` });
    }
  }

  async #watch(): Promise<void> {
    for await (const status of this.#connection.status()) {
      if (status.type === "disconnect") {
        this.#onEvent({ kind: "down", message: `The connection to the NATS server ${status.server} was lost` });
      }
      if (status.type === "reconnect") {
        this.#onEvent({ kind: "up", message: `Connected to the NATS server ${status.server}` });
      }
      if (status.type === "error") this.#onEvent({ kind: "problem", message: `NATS: ${status.error.message}` });
    }
  }
}

function parsed(message: Msg): unknown {
  try {
    return message.json();
  } catch (cause) {
    throw new MessageFault(MESSAGE_FAULT_CODES.parseError, "The message is not JSON", { cause });
  }
}

/** An engine that fails is answered for; whether it changed anything is not known. */
function failed(error: unknown): ReplyBody {
  const reply: EngineReply = {
    ok: false,
    refusal: "internal",
    message: error instanceof Error ? error.message : String(error),
  };
  return replyBody(reply);
}

interface ReplyError {
  readonly code: number;
  readonly message: string;
}

function errorText({ code, message }: ReplyError): string {
  return `${code}:${message}`;
}

/** What NATS tools look at to tell an error from an answer (NATS ADR-32); a header holds one line of printable ASCII. */
function errorHeaders({ code, message }: ReplyError): ReturnType<typeof headers> {
  const found = headers();
  found.set("Nats-Service-Error-Code", String(code));
  found.set("Nats-Service-Error", message.replace(/[^\x20-\x7e]/g, "?"));
  return found;
}
