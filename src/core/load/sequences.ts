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
