/** Runs the tasks of each key one after the other, in the order in which they came. */
export class Sequences {
  readonly #latest = new Map<string, Promise<unknown>>();

  /** Settles as the task does. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#latest.get(key) ?? Promise.resolve();
    const running = before.then(task, task);
    this.#latest.set(key, running);
    try {
      return await running;
    } finally {
      if (this.#latest.get(key) === running) this.#latest.delete(key);
    }
  }
}

/** Does asynchronous work on each item, on at most `width` at a time; the results have the order of the items. */
export async function inParallel<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  const worker = async (): Promise<void> => {
    // All workers take from one iterator, so each item is taken once.
    for (const [index, item] of waiting) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}
