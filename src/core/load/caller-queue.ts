import { RoundRobin } from "./round-robin.ts";

/** Begins with a control character, so that no user is called so. */
const STRANGER = "\0from ";

/** Who takes turns for work on what the engine sends. */
export const ENGINE_CALLER = "\0engine";

/** Names a caller who has not logged in by the place that it calls from: an address, or a connection of it. */
export function stranger(place: string | undefined): string {
  return STRANGER + (place ?? "nowhere");
}

/**
 * What waits for callers who take turns. Users and strangers take turns with each other, too: however many places a flood comes from, a
 * user waits for one stranger at a time.
 */
export class CallerQueue<T> {
  readonly #users = new RoundRobin<T>();
  readonly #strangers = new RoundRobin<T>();
  #strangerIsNext = false;

  get size(): number {
    return this.#users.size + this.#strangers.size;
  }

  push(caller: string, item: T): void {
    (caller.startsWith(STRANGER) ? this.#strangers : this.#users).push(caller, item);
  }

  /** Takes out what is next. */
  shift(): T | undefined {
    this.#strangerIsNext = !this.#strangerIsNext;
    const [first, second] = this.#strangerIsNext ? [this.#strangers, this.#users] : [this.#users, this.#strangers];
    return first.size > 0 ? first.shift() : second.shift();
  }
}
