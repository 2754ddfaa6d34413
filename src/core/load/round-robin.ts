/** Queues by key that take turns: a key with much in its queue delays each other key by one item at most. */
export class RoundRobin<T> {
  readonly #queues = new Map<string, T[]>();
  /** Keys of queues that are not empty; the one whose turn is next comes first. */
  readonly #turns: string[] = [];
  #size = 0;

  /** Items in all queues. */
  get size(): number {
    return this.#size;
  }

  /** Items in the queue of a key. */
  sizeOf(key: string): number {
    return this.#queues.get(key)?.length ?? 0;
  }

  push(key: string, item: T): void {
    this.#size += 1;
    const queue = this.#queues.get(key);
    if (queue) {
      queue.push(item);
    } else {
      this.#queues.set(key, [item]);
      this.#turns.push(key);
    }
  }

  /** Takes out what is next. */
  shift(): T | undefined {
    const key = this.#turns.shift();
    if (key === undefined) return undefined;
    this.#size -= 1;
    const queue = this.#queues.get(key) ?? [];
    const item = queue.shift();
    if (queue.length > 0) this.#turns.push(key);
    else this.#queues.delete(key);
    return item;
  }

  /** Takes an item out before its turn; false if it is not there. */
  remove(key: string, item: T): boolean {
    const queue = this.#queues.get(key) ?? [];
    const index = queue.indexOf(item);
    if (index < 0) return false;
    this.#size -= 1;
    queue.splice(index, 1);
    if (queue.length > 0) return true;
    this.#queues.delete(key);
    this.#turns.splice(this.#turns.indexOf(key), 1);
    return true;
  }
}
