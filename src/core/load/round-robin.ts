export type ServingOrder = "oldest first" | "newest first";

/** Queues by key, served round-robin: a long queue delays every other key by one item at most. */
export class RoundRobin<T> {
  readonly #order: ServingOrder;
  /** Non-empty queues, the next one first. */
  readonly #queues = new Map<string, T[]>();
  #size = 0;
  /** Key of the item that was served last. */
  #latest: string | undefined;

  constructor(order: ServingOrder = "oldest first") {
    this.#order = order;
  }

  get size(): number {
    return this.#size;
  }

  sizeOf(key: string): number {
    return this.#queues.get(key)?.length ?? 0;
  }

  /** Key of the next item: not that of the latest one while others wait, even if they came later. */
  get nextKey(): string | undefined {
    const [first, second] = this.#queues.keys();
    return first === this.#latest && second !== undefined ? second : first;
  }

  push(key: string, item: T): void {
    this.#size += 1;
    const queue = this.#queues.get(key);
    if (queue) queue.push(item);
    else this.#queues.set(key, [item]);
  }

  shift(): T | undefined {
    const key = this.nextKey;
    const queue = key === undefined ? undefined : this.#queues.get(key);
    if (key === undefined || !queue) return undefined;
    this.#latest = key;
    this.#size -= 1;
    // Its next turn comes after those of all others.
    this.#queues.delete(key);
    if (queue.length > 1) this.#queues.set(key, queue);
    return this.#order === "oldest first" ? queue.shift() : queue.pop();
  }

  /** Removes an item before its turn; returns false if it is absent. */
  remove(key: string, item: T): boolean {
    const queue = this.#queues.get(key) ?? [];
    const index = queue.indexOf(item);
    if (index < 0) return false;
    this.#size -= 1;
    queue.splice(index, 1);
    if (queue.length === 0) this.#queues.delete(key);
    return true;
  }
}
