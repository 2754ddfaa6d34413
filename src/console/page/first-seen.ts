/** When things were first seen to be as they are: what was read before cannot tell of them. */
export class FirstSeen {
  #times: ReadonlyMap<string, number> = new Map();

  /** Takes the names of what is seen now, and gives back those that were not seen before. */
  take(names: readonly string[]): string[] {
    const before = this.#times;
    const now = Date.now();
    this.#times = new Map(names.map((name) => [name, before.get(name) ?? now]));
    return names.filter((name) => !before.has(name));
  }

  /** Whether something that was read at this time, if ever, is older than what is seen now. */
  isOlder(readAt: number | undefined, name: string): boolean {
    return (readAt ?? 0) <= (this.#times.get(name) ?? 0);
  }
}
