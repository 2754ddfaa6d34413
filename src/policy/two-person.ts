import { hash } from "node:crypto";
import { nameKey } from "../auth/names.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { type OperationName, operationRecord, operations } from "../core/operations/table.ts";
import type { Policy, PolicyRequest } from "../core/policy/policy.ts";

/** What needs two people. */
export interface TwoPersonOptions {
  /** Changes; a stop never needs a second person. */
  readonly operations: readonly OperationName[];
  /** Milliseconds that the second person has; 5 minutes unless given. */
  readonly withinMs?: number;
  readonly clock?: Clock;
}

/** A change that waits for a second person. */
interface Request {
  readonly user: string;
  readonly requestId: string;
  readonly askedAt: number;
  readonly reason: string | undefined;
}

/** Changes that wait at once; beyond that the oldest is forgotten. */
const MAX_WAITING = 1_000;

/**
 * Lets a change pass only when a second user sends the same one in time. The first call is refused with a text that says what is
 * awaited. Two calls are the same when their operation and input are, whatever their reasons. The audit records of the call that is
 * sent have the annotations `requestedBy`, `requestedAt`, `requestId` of the first and its `requestReason`. What waits is in this
 * process alone: both people have to use the same gateway.
 *
 * @throws TypeError when an operation is no change.
 */
export function twoPerson({ operations: names, withinMs = 300_000, clock = systemClock }: TwoPersonOptions): Policy {
  for (const name of names) requireChange(name);
  const needed = new Set(names);
  const waiting = new WaitingRequests(clock, withinMs);
  return (request) => {
    if (!needed.has(request.operation)) return undefined;
    const key = keyOf(request);
    const first = waiting.get(key);
    const isSecond = first !== undefined && nameKey(first.user) !== nameKey(request.principal.name);
    if (!isSecond) return awaited(request, waiting.add(key, request), withinMs);
    waiting.delete(key);
    annotate(request, first);
    return undefined;
  };
}

function requireChange(name: OperationName): void {
  if (!Object.hasOwn(operations, name)) throw new TypeError(`There is no operation ${JSON.stringify(name)}`);
  const { lane } = operationRecord(operations, name);
  if (lane === "stop") throw new TypeError(`${name} is a stop, and a stop never needs a second person`);
  if (lane === "read") throw new TypeError(`${name} is a read; only changes need a second person`);
}

class WaitingRequests {
  readonly #clock: Clock;
  readonly #withinMs: number;
  /** The oldest comes first. */
  readonly #byKey = new Map<string, Request>();

  constructor(clock: Clock, withinMs: number) {
    this.#clock = clock;
    this.#withinMs = withinMs;
  }

  get(key: string): Request | undefined {
    const request = this.#byKey.get(key);
    return request && this.#clock.now() - request.askedAt <= this.#withinMs ? request : undefined;
  }

  /** Adds a request; who asks again begins anew. */
  add(key: string, { principal, input, context }: PolicyRequest): Request {
    const reason = "reason" in input ? input.reason : undefined;
    const request = { user: principal.name, requestId: context.requestId, askedAt: this.#clock.now(), reason };
    this.#byKey.delete(key);
    this.#byKey.set(key, request);
    for (const oldest of this.#byKey.keys()) if (this.#byKey.size > MAX_WAITING) this.#byKey.delete(oldest);
    return request;
  }

  delete(key: string): void {
    this.#byKey.delete(key);
  }
}

function awaited({ operation, input }: PolicyRequest, { user, askedAt }: Request, withinMs: number): string {
  const target = operations[operation].target.map((field) => String(Reflect.get(input, field))).join("/");
  const until = new Date(askedAt + withinMs).toISOString();
  return (
    `${operation} ${target === "" ? "system-wide" : `of ${JSON.stringify(target)}`} needs a second person: asked for by ${JSON.stringify(user)}; ` +
    `to send it, another user has to send the same command by ${until}`
  );
}

function annotate({ context }: PolicyRequest, { user, requestId, askedAt, reason }: Request): void {
  context.annotate("requestedBy", user);
  context.annotate("requestedAt", new Date(askedAt).toISOString());
  context.annotate("requestId", requestId);
  if (reason !== undefined) context.annotate("requestReason", reason);
}

/** Stands for operation and input, the reason and the order of fields aside. */
function keyOf({ operation, input }: PolicyRequest): string {
  const { reason: _, ...acts } = input as { readonly reason?: string };
  return hash("sha256", JSON.stringify([operation, sorted(acts)]), "base64");
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([key, field]) => [key, sorted(field)]));
}
