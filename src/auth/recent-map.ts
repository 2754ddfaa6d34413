interface Entry<V> {
  readonly key: string;
  readonly value: V;
  /** Neighbours in the order in which entries were set. */
  older: Entry<V> | undefined;
  newer: Entry<V> | undefined;
}

/**
 * A map with a bound: when there is too much, what was set longest ago goes. Has a list of its own for the order, since the first
 * key of a `Map` takes long to find while keys are deleted in front of it.
 */
export class RecentMap<V> {
  readonly #capacity: number;
  readonly #entries = new Map<string, Entry<V>>();
  #oldest: Entry<V> | undefined;
  #newest: Entry<V> | undefined;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    return this.#entries.get(key)?.value;
  }

  set(key: string, value: V): void {
    this.delete(key);
    const entry: Entry<V> = { key, value, older: this.#newest, newer: undefined };
    if (this.#newest) this.#newest.newer = entry;
    else this.#oldest = entry;
    this.#newest = entry;
    this.#entries.set(key, entry);
    if (this.#oldest && this.#entries.size > this.#capacity) this.delete(this.#oldest.key);
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    if (entry.older) entry.older.newer = entry.newer;
    else this.#oldest = entry.newer;
    if (entry.newer) entry.newer.older = entry.older;
    else this.#newest = entry.older;
    this.#entries.delete(key);
  }

  deleteWhere(isUnwanted: (value: V) => boolean): void {
    for (const { key, value } of this.#entries.values()) if (isUnwanted(value)) this.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#oldest = undefined;
    this.#newest = undefined;
  }
}
