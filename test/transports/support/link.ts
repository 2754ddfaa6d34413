import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import {
  type EngineReply,
  type EngineRequest,
  type EngineTransport,
  TransportError,
} from "../../../src/core/engine/transport.ts";
import type { LinkEvent } from "../../../transports/link/link.ts";
import { until } from "../../support/until.ts";

/** The next turn of the event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A request with its id in the context, where engines of tests find it. */
export function request(id: string, lane: EngineRequest["lane"] = "read", input: unknown = {}): EngineRequest {
  const method = { read: "listServices", change: "resumeTrading", stop: "haltTrading" } as const;
  const context = { user: "alice", requestId: id, deadline: Date.now() + 60_000, traceparent: undefined };
  return { method: method[lane], input, lane, context };
}

/** What happened to a request: the engine's reply, or the transport's fault and whether it had been sent. */
export async function outcome(send: () => Promise<EngineReply> | EngineReply): Promise<unknown> {
  try {
    const reply = await send();
    return reply.ok ? reply.result : `${reply.refusal}: ${reply.message}`;
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    return `${error.fault}, ${error.sent ? "sent" : "not sent"}`;
  }
}

/** Sends a request and tells what happened to it. */
export function fate(transport: EngineTransport, ...what: Parameters<typeof request>): Promise<unknown> {
  return outcome(() => transport.exchange(request(...what)).reply);
}

/**
 * Asks until a reply comes, a second for each: after an outage the server may still deliver to a connection that has ended, so that a
 * request is lost, as the engine's deadline would tell.
 */
export async function answered(transport: EngineTransport, id: string): Promise<void> {
  const ask = async () => {
    const exchange = transport.exchange(request(id));
    const lost = pause(1_000, "lost");
    const what = await Promise.race([outcome(() => exchange.reply), lost]);
    if (what === "lost") exchange.abandon();
    return what;
  };
  await expect.poll(() => ask().catch(String)).toBe(id);
}

/** Everything that a test opens, closed in the opposite order. */
export class Opened {
  readonly #closers: (() => unknown)[] = [];

  add<T>(value: T, close: (value: T) => unknown): T {
    this.#closers.push(() => close(value));
    return value;
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close();
  }
}

/** Keeps the events of an end. */
export class Events {
  readonly all: LinkEvent[] = [];
  readonly onEvent = (event: LinkEvent): void => {
    this.all.push(event);
  };

  /** Messages of one kind. */
  of(kind: LinkEvent["kind"]): string[] {
    return this.all.filter((event) => event.kind === kind).map(({ message }) => message);
  }
}

/** An engine that replies when the test says so. */
export class PatientEngine {
  /** Ids of the requests that have arrived, in order. */
  readonly arrived: string[] = [];
  readonly #answers = new Map<string, (reply: EngineReply) => void>();
  readonly handler = ({ context: { requestId } }: EngineRequest): Promise<EngineReply> => {
    this.arrived.push(requestId);
    return new Promise((resolve) => this.#answers.set(requestId, resolve));
  };

  async has(id: string): Promise<void> {
    await until(() => this.arrived.includes(id), `request ${id} arrives`);
  }

  /** Answers a request with its id. */
  answer(id: string): void {
    this.#answers.get(id)?.({ ok: true, result: id });
  }
}

/** Answers every request immediately with its id. */
export async function echo({ context: { requestId } }: EngineRequest): Promise<EngineReply> {
  return { ok: true, result: requestId };
}
