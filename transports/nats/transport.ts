import {
  connect,
  createInbox,
  type Msg,
  type NatsConnection,
  PermissionViolationError,
  type Status,
} from "@nats-io/transport-node";
import { systemClock } from "../../src/core/clock.ts";
import {
  type EngineExchange,
  type EngineRequest,
  type EngineTransport,
  type LinkState,
  TransportError,
} from "../../src/core/transport.ts";
import { CONTRACT_NAME } from "../json-rpc/contract.ts";
import { decodeReplyBody } from "../json-rpc/replies.ts";
import { encodeParams } from "../json-rpc/requests.ts";
import type { LinkEvent } from "../link-event.ts";
import {
  clientOptions,
  connectReason,
  type NatsConnectionOptions,
  reconnectDelay,
  serverList,
} from "./connection-options.ts";
import { Unanswered } from "./unanswered.ts";

/** Options of a {@link NatsTransport}. */
export interface NatsTransportOptions extends NatsConnectionOptions {
  /** What the subjects of the operations begin with; `trading-admin.v1` unless given. */
  readonly subjectPrefix?: string;
  /** Requests that may be without an answer at once (1,024); stops have 64 places more. */
  readonly maxUnanswered?: number;
  /** Told when the link comes and goes, and when something breaks the contract. Must not throw. */
  readonly onEvent?: (event: LinkEvent) => void;
}

const DEFAULT_MAX_UNANSWERED = 1_024;
const STOP_RESERVE = 64;

/** Status of the message with which a server says that nobody listens to a subject. */
const NO_RESPONDERS = 503;

/**
 * The gateway's end of a NATS bus (docs/bus.md). It connects in the background and again after every loss, until it is
 * closed. A request that was published when the connection was lost stays without an answer until its deadline: the answer
 * may still come after the reconnect. Nothing is published while there is no connection, and the client forgets on a reconnect
 * what it had not sent, so nothing is ever sent twice or late.
 *
 * @example
 * const transport = new NatsTransport({ servers: "nats://127.0.0.1:4222" });
 * const api = new AdminApi({ transport, audit });
 */
export class NatsTransport implements EngineTransport {
  readonly #options: NatsTransportOptions;
  readonly #prefix: string;
  readonly #maxUnanswered: number;
  readonly #onEvent: (event: LinkEvent) => void;
  readonly #unanswered = new Unanswered();
  readonly #inbox = createInbox();
  #connection: NatsConnection | undefined;
  #state: LinkState = "down";
  #stage: "new" | "started" | "closed" = "new";
  #endWait = (): void => {};
  #lastDown: string | undefined;
  #count = 0;

  constructor(options: NatsTransportOptions) {
    this.#options = options;
    this.#prefix = options.subjectPrefix ?? CONTRACT_NAME;
    this.#maxUnanswered = options.maxUnanswered ?? DEFAULT_MAX_UNANSWERED;
    this.#onEvent = options.onEvent ?? (() => {});
    // Unusable credentials or certificates are found out now and not in the background.
    clientOptions(options, "");
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Resolves at once and connects in the background. Rejects when the transport has been closed. */
  async start(): Promise<void> {
    if (this.#isClosed()) throw new Error("The transport has been closed and cannot be started again");
    if (this.#stage === "started") return;
    this.#stage = "started";
    void this.#run();
  }

  exchange(request: EngineRequest): EngineExchange {
    const connection = this.#connection;
    if (!connection || this.#state === "down") throw notSent("unavailable", "There is no connection to a NATS server");
    const limit = this.#maxUnanswered + (request.lane === "stop" ? STOP_RESERVE : 0);
    if (this.#unanswered.size >= limit) throw notSent("overloaded", `${limit} requests have no answer yet`);
    const payload = Buffer.from(encodeParams(request));
    const max = connection.info?.max_payload ?? Number.POSITIVE_INFINITY;
    if (payload.length > max) {
      throw notSent(
        "unavailable",
        `The request is larger than the NATS server accepts (${payload.length} of ${max} bytes)`,
      );
    }
    return this.#publish(connection, `${this.#prefix}.${request.method}`, payload);
  }

  async close(): Promise<void> {
    this.#stage = "closed";
    this.#state = "down";
    this.#endWait();
    this.#unanswered.rejectAll("The transport was closed");
    await this.#connection?.close();
  }

  #publish(connection: NatsConnection, subject: string, payload: Uint8Array): EngineExchange {
    this.#count += 1;
    const token = String(this.#count);
    const exchange = this.#unanswered.add(token, subject);
    try {
      connection.publish(subject, payload, { reply: `${this.#inbox}.${token}` });
      return exchange;
    } catch (cause) {
      exchange.abandon();
      throw new TransportError("unavailable", "The NATS client did not take the request", { sent: false, cause });
    }
  }

  /** Connects, and again should the client ever give up. */
  async #run(): Promise<void> {
    while (!this.#isClosed()) {
      const connection = await this.#connect();
      if (!connection) continue;
      this.#connection = connection;
      connection.subscribe(`${this.#inbox}.*`, { callback: (error, message) => this.#take(error, message) });
      this.#up(connection.getServer());
      for await (const status of connection.status()) this.#note(status);
      this.#down("the connection was closed");
    }
  }

  /** One attempt; undefined when it failed, after a wait. */
  async #connect(): Promise<NatsConnection | undefined> {
    try {
      const connection = await connect(clientOptions(this.#options, "trading-admin gateway"));
      if (!this.#isClosed()) return connection;
      await connection.close();
    } catch (error) {
      this.#down(connectReason(error));
      await this.#wait(reconnectDelay());
    }
    return undefined;
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = systemClock.schedule(ms, resolve);
      this.#endWait = () => {
        cancel();
        resolve();
      };
    });
  }

  #note(status: Status): void {
    if (status.type === "disconnect") this.#down(`the connection to ${status.server} was lost`);
    if (status.type === "reconnect") this.#up(status.server);
    if (status.type === "error") this.#problem(status.error);
  }

  #up(server: string): void {
    if (this.#isClosed()) return;
    this.#state = "up";
    this.#lastDown = undefined;
    this.#onEvent({ kind: "up", message: `Connected to the NATS server ${server}` });
  }

  #down(reason: string): void {
    this.#state = "down";
    const message = `No connection to NATS (${serverList(this.#options).join(", ")}): ${reason}`;
    // One event for the same reason, however many attempts fail.
    if (!this.#isClosed() && message !== this.#lastDown) this.#onEvent({ kind: "down", message });
    this.#lastDown = message;
  }

  #problem(error: Error): void {
    this.#onEvent({ kind: "problem", message: `NATS: ${error.message}` });
    if (!(error instanceof PermissionViolationError)) return;
    // An earlier request to the subject may have passed, so it is not certain of any that nothing was sent.
    if (error.operation === "publish") this.#unanswered.rejectAll(error.message, error.subject);
  }

  #take(error: Error | null, message: Msg): void {
    // The server does not let us have answers: then nothing must be asked.
    if (error) this.#down(error.message);
    const token = error ? undefined : message.subject.slice(this.#inbox.length + 1);
    if (token !== undefined && !this.#settle(token, message)) {
      this.#onEvent({ kind: "problem", message: `NATS: an answer came for request ${token}, which waits for none` });
    }
  }

  #settle(token: string, message: Msg): boolean {
    if (message.headers?.code === NO_RESPONDERS && message.data.length === 0) {
      return this.#unanswered.reject(token, notSent("unavailable", "No engine is connected to NATS"));
    }
    const reply = decodeReply(message);
    if (reply) return this.#unanswered.resolve(token, reply);
    const error = new TransportError("protocol", "The engine's answer is not one of the contract", { sent: true });
    return this.#unanswered.reject(token, error);
  }

  #isClosed(): boolean {
    return this.#stage === "closed";
  }
}

function notSent(fault: "unavailable" | "overloaded", message: string): TransportError {
  return new TransportError(fault, message, { sent: false });
}

function decodeReply(message: Msg): ReturnType<typeof decodeReplyBody> {
  try {
    return decodeReplyBody(message.json());
  } catch {
    return undefined;
  }
}
