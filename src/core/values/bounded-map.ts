/** A map that drops its oldest entry rather than have more than `max`. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #max: number;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  /** An entry that exists keeps its place among the others. */
  override set(key: K, value: V): this {
    super.set(key, value);
    this.#dropOldest();
    return this;
  }

  /** Sets an entry and makes it the newest one; returns the entry that was dropped for it. */
  setNewest(key: K, value: V): readonly [key: K, value: V] | undefined {
    this.delete(key);
    super.set(key, value);
    return this.#dropOldest();
  }

  #dropOldest(): readonly [key: K, value: V] | undefined {
    if (this.size <= this.#max) return undefined;
    const [oldest] = this;
    if (oldest) this.delete(oldest[0]);
    return oldest;
  }
}
