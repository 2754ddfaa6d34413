/** Queues by key, served round-robin: a long queue delays every other key by one item at most. */
export class RoundRobin<T> {
  readonly #queues = new Map<string, T[]>();
  /** Keys of non-empty queues, the next one first. */
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

  /** Key of the next item. */
  get nextKey(): string | undefined {
    return this.#turns[0];
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

  /** Removes and returns the next item. */
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

  /** Removes an item before its turn; returns false if it is absent. */
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
