/** Queues by key that take turns: whoever has much in his queue delays nobody else by more than one. */
export class RoundRobin<T> {
  /** The key whose turn is next comes first. */
  readonly #queues = new Map<string, T[]>();

  push(key: string, item: T): void {
    const queue = this.#queues.get(key);
    if (queue) queue.push(item);
    else this.#queues.set(key, [item]);
  }

  /** Takes out what is next. */
  shift(): T | undefined {
    for (const [key, queue] of this.#queues) {
      const item = queue.shift();
      this.#queues.delete(key);
      if (queue.length > 0) this.#queues.set(key, queue);
      return item;
    }
    return undefined;
  }

  /** Takes an item out before its turn, if it is there. */
  remove(key: string, item: T): void {
    const queue = this.#queues.get(key) ?? [];
    const index = queue.indexOf(item);
    if (index >= 0) queue.splice(index, 1);
    if (queue.length === 0) this.#queues.delete(key);
  }
}
