import { hash } from "node:crypto";
import { nameKey } from "../auth/names.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { type OperationName, operationRecord, operations } from "../core/operations/table.ts";
import type { Policy, PolicyRequest } from "../core/policy/policy.ts";
import { type Principal, stillHas } from "../core/principal.ts";

/** Operations that need two people. */
export interface TwoPersonOptions {
  /** Changes; a stop never needs a second person. */
  readonly operations: readonly OperationName[];
  /** Milliseconds within which the second person must confirm; 5 minutes unless given. */
  readonly withinMs?: number;
  readonly clock?: Clock;
}

/** A change that waits for a second person. */
interface Request {
  readonly principal: Principal;
  readonly requestId: string;
  readonly askedAt: number;
  readonly reason: string | undefined;
}

/** Changes that may wait; above the limit, the oldest is dropped. */
const MAX_WAITING = 1_000;

/**
 * Allows a change only when a second user sends the same one in time. The first call is refused with a message that explains this.
 * Two calls are the same if their operation and input are equal, except for the reason. The audit records of the second call have the
 * annotations `requestedBy`, `requestedAt`, `requestId` and `requestReason` of the first. Waiting changes are kept in this process only:
 * both people have to use the same gateway.
 *
 * @throws TypeError for an operation that is not a change.
 */
export function twoPerson({ operations: names, withinMs = 300_000, clock = systemClock }: TwoPersonOptions): Policy {
  for (const name of names) requireChange(name);
  const needed = new Set(names);
  const waiting = new WaitingRequests(clock, withinMs);
  return (request) => {
    if (!needed.has(request.operation)) return undefined;
    const key = keyOf(request);
    const first = waiting.get(key);
    const isSecond = first !== undefined && mayStill(first, request) && isOther(first, request);
    if (!isSecond) return awaited(request, waiting.add(key, request), withinMs);
    waiting.delete(key);
    annotate(request, first);
    return undefined;
  };
}

/** Who was removed since, or lost the permission, has asked for nothing (decision D-UAC 17). */
function mayStill({ principal }: Request, { operation }: PolicyRequest): boolean {
  const { permission } = operationRecord(operations, operation);
  return permission === null || stillHas(principal, permission);
}

function isOther({ principal }: Request, second: PolicyRequest): boolean {
  return nameKey(principal.name) !== nameKey(second.principal.name);
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
  /** Oldest first. */
  readonly #byKey = new Map<string, Request>();

  constructor(clock: Clock, withinMs: number) {
    this.#clock = clock;
    this.#withinMs = withinMs;
  }

  get(key: string): Request | undefined {
    const request = this.#byKey.get(key);
    return request && this.#clock.now() - request.askedAt <= this.#withinMs ? request : undefined;
  }

  /** Adds a request; a repeated one starts over. */
  add(key: string, { principal, input, context }: PolicyRequest): Request {
    const reason = "reason" in input ? input.reason : undefined;
    const request = { principal, requestId: context.requestId, askedAt: this.#clock.now(), reason };
    this.#byKey.delete(key);
    this.#byKey.set(key, request);
    for (const oldest of this.#byKey.keys()) if (this.#byKey.size > MAX_WAITING) this.#byKey.delete(oldest);
    return request;
  }

  delete(key: string): void {
    this.#byKey.delete(key);
  }
}

function awaited({ operation, input }: PolicyRequest, { principal, askedAt }: Request, withinMs: number): string {
  const target = operations[operation].target.map((field) => String(Reflect.get(input, field))).join("/");
  const until = new Date(askedAt + withinMs).toISOString();
  return (
    `${operation} ${target === "" ? "system-wide" : `of ${JSON.stringify(target)}`} needs a second person: asked for by ${JSON.stringify(principal.name)}; ` +
    `to send it, another user has to send the same command by ${until}`
  );
}

function annotate({ context }: PolicyRequest, { principal, requestId, askedAt, reason }: Request): void {
  context.annotate("requestedBy", principal.name);
  context.annotate("requestedAt", new Date(askedAt).toISOString());
  context.annotate("requestId", requestId);
  if (reason !== undefined) context.annotate("requestReason", reason);
}

/** Identifies operation and input, without the reason and regardless of the order of fields. */
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
