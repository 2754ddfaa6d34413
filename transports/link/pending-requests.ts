import { type EngineExchange, type EngineReply, TransportError } from "../../src/core/engine/transport.ts";
import type { Lane } from "../../src/core/operations/operation.ts";
import { BoundedMap } from "../../src/core/values/bounded-map.ts";

/** Requests without or with a reply that are remembered: the latest of each. */
const MAX_ABANDONED = 10_000;
const MAX_ANSWERED = 2_000;

/** Longer replies are not kept for a comparison of what they say. */
const MAX_KEPT_BYTES = 4 * 1024;

export interface PendingRequest {
  readonly lane: Lane;
  /** A moment of the {@link EngineClock}. */
  readonly sentAt: number;
}

/** Told of a reply that contradicts the first one to the same request. */
type OnContradiction = (reply: EngineReply) => void;

interface Waiter<S extends PendingRequest> {
  readonly sent: S;
  readonly resolve: (reply: EngineReply) => void;
  readonly reject: (error: TransportError) => void;
  onContradiction?: OnContradiction;
}

/** First reply to a request. */
interface Answered {
  readonly first: EngineReply | TransportError;
  readonly onContradiction: OnContradiction | undefined;
}

/**
 * What is known of an id, or the token of an inbox, that a message carries: its reply is awaited, is not awaited any longer, has come
 * before, or was never asked for (or so long ago that it is forgotten).
 */
export type Standing = "awaited" | "abandoned" | "answered" | "unknown";

/** The requests of one link by id, those without a reply from the oldest on. Ids are never reused. */
export class PendingRequests<Id extends number | string, S extends PendingRequest = PendingRequest> {
  readonly #waiters = new Map<Id, Waiter<S>>();
  readonly #abandoned = new BoundedMap<Id, true>(MAX_ABANDONED);
  readonly #answered = new BoundedMap<Id, Answered>(MAX_ANSWERED);
  #stops = 0;

  get haveStop(): boolean {
    return this.#stops > 0;
  }

  get size(): number {
    return this.#waiters.size;
  }

  /** Pending requests with their ids, the oldest first. */
  get all(): [Id, S][] {
    return [...this.#waiters].map(([id, { sent }]) => [id, sent]);
  }

  add(id: Id, sent: S): EngineExchange {
    if (sent.lane === "stop") this.#stops += 1;
    let added: Waiter<S> | undefined;
    const reply = new Promise<EngineReply>((resolve, reject) => {
      added = { sent, resolve, reject };
      this.#waiters.set(id, added);
    });
    return {
      reply,
      abandon: () => {
        if (this.#take(id)) this.#abandoned.set(id, true);
      },
      contradicted: (listener) => {
        if (added) added.onContradiction = listener;
      },
    };
  }

  get(id: Id): S | undefined {
    return this.#waiters.get(id)?.sent;
  }

  standingOf(id: Id): Standing {
    if (this.#waiters.has(id)) return "awaited";
    if (this.#answered.has(id)) return "answered";
    return this.#abandoned.has(id) ? "abandoned" : "unknown";
  }

  /** Settles a request with its reply of `bytes` bytes, or with what is wrong with it; false if its reply is not awaited. */
  settle(id: Id, first: EngineReply | TransportError, bytes = 0): boolean {
    const waiter = this.#take(id);
    if (!waiter) return false;
    this.#answered.set(id, { first: kept(first, bytes), onContradiction: waiter.onContradiction });
    if (first instanceof TransportError) waiter.reject(first);
    else waiter.resolve(first);
    return true;
  }

  /** Fails a request whose reply cannot arrive any more. */
  fail(id: Id, error: TransportError): void {
    this.#take(id)?.reject(error);
  }

  /**
   * Takes in a reply that is not awaited; `unwanted` is called where it is not that of a request that was abandoned. Returns what is to be
   * said of it, after the request.
   */
  unasked(id: Id, contradicts: boolean, unwanted: () => void): string {
    if (!this.#abandoned.delete(id)) unwanted();
    return contradicts ? "whose first reply said something else" : "which had its reply before or is not awaited";
  }

  /** Compares another reply to a request with its first one; tells the listener, once, if they contradict each other, and returns that. */
  compare(id: Id, second: EngineReply, bytes: number): boolean {
    const answered = this.#answered.get(id);
    if (!answered || !contradicts(answered.first, kept(second, bytes))) return false;
    this.#answered.delete(id);
    answered.onContradiction?.(second);
    return true;
  }

  #take(id: Id): Waiter<S> | undefined {
    const waiter = this.#waiters.get(id);
    this.#waiters.delete(id);
    if (waiter?.sent.lane === "stop") this.#stops -= 1;
    return waiter;
  }
}

function kept<R extends EngineReply | TransportError>(reply: R, bytes: number): R | { ok: true; result: undefined } {
  if (reply instanceof TransportError || !reply.ok || bytes <= MAX_KEPT_BYTES) return reply;
  return { ok: true, result: undefined };
}

/** Whether two replies cannot both be true. Of two refusals only what they mean counts, of long results nothing. */
function contradicts(first: EngineReply | TransportError, second: EngineReply): boolean {
  if (first instanceof TransportError) return true;
  if (first.ok && second.ok) {
    const isKept = first.result !== undefined && second.result !== undefined;
    return isKept && JSON.stringify(first.result) !== JSON.stringify(second.result);
  }
  return first.ok || second.ok || first.refusal !== second.refusal;
}
