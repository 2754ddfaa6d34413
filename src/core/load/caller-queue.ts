import { RoundRobin, type ServingOrder } from "./round-robin.ts";

/** Starts with a control character: no user of an access file or a directory can be called so. */
const ANONYMOUS = "\0from ";

/** Caller of the work on messages from the engine. */
export const ENGINE_CALLER = "\0engine";

/** Caller of the work on bytes from the monitor backend. */
export const MONITOR_CALLER = "\0monitor";

/** Names an unauthenticated caller by its origin: the network of an address or, behind a proxy, the connection. */
export function anonymousCaller(origin: string | undefined): string {
  return ANONYMOUS + (origin ?? "nowhere");
}

/** Whether a caller has not logged in. */
export function isAnonymous(caller: string): boolean {
  return caller.startsWith(ANONYMOUS);
}

/**
 * A round-robin queue by caller that also alternates between authenticated and unauthenticated callers: however many addresses a
 * flood comes from, a user waits for one unauthenticated caller at a time.
 */
export class CallerQueue<T> {
  /** Authenticated callers, the engine and the monitor backend. */
  readonly #users: RoundRobin<T>;
  readonly #anonymous: RoundRobin<T>;
  #anonymousIsNext = true;

  constructor(order?: ServingOrder) {
    this.#users = new RoundRobin(order);
    this.#anonymous = new RoundRobin(order);
  }

  get size(): number {
    return this.#users.size + this.#anonymous.size;
  }

  push(caller: string, item: T): void {
    (isAnonymous(caller) ? this.#anonymous : this.#users).push(caller, item);
  }

  get nextCaller(): string | undefined {
    return this.#next.nextKey;
  }

  shift(): T | undefined {
    const queue = this.#next;
    this.#anonymousIsNext = !this.#anonymousIsNext;
    return queue.shift();
  }

  get #next(): RoundRobin<T> {
    const [first, second] = this.#anonymousIsNext ? [this.#anonymous, this.#users] : [this.#users, this.#anonymous];
    return first.size > 0 ? first : second;
  }
}
