import type { CallOptions } from "../../client/client.ts";

/** Reads a value; what the gateway warns of goes to the call. */
type Read<T> = (call: Pick<CallOptions, "onWarning">) => Promise<T>;

/** Something of the gateway that is read again and again: its last value, how old that is, and why the last read failed. */
export class Reading<T> {
  #read: Read<T>;
  #generation = 0;
  #waitingSince: number | undefined;
  readonly #listeners = new Set<() => void>();
  value: T | undefined;
  /** When `value` was read, epoch milliseconds; undefined before the first. */
  readAt: number | undefined;
  /** Why the last read failed; undefined when it did not. */
  failure: unknown;
  /** Fields and rows that `value` does not show, in words; undefined when it shows everything. */
  warning: string | undefined;
  /** When the last read began, epoch milliseconds; 0 before the first. */
  askedAt = 0;

  constructor(read: Read<T>) {
    this.#read = read;
  }

  /** Since when a response is waited for; undefined when none is. */
  get waitingSince(): number | undefined {
    return this.#waitingSince;
  }

  /** Called with each value and each failure. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Reads; what an earlier read that is still pending brings does not count any more. */
  async refresh(): Promise<void> {
    this.#generation += 1;
    const generation = this.#generation;
    this.askedAt = Date.now();
    this.#waitingSince = this.askedAt;
    let warning: string | undefined;
    const onWarning = ({ message }: { readonly message: string }): void => {
      warning = message;
    };
    try {
      const value = await this.#read({ onWarning });
      if (generation === this.#generation) this.#take(value, warning);
    } catch (error) {
      if (generation === this.#generation) this.failure = error;
    }
    if (generation !== this.#generation) return;
    this.#waitingSince = undefined;
    this.#notify();
  }

  /** Forgets the value, and reads something else from now on. */
  async readInstead(read: Read<T>): Promise<void> {
    this.#read = read;
    this.value = undefined;
    this.readAt = undefined;
    this.failure = undefined;
    this.warning = undefined;
    this.#notify();
    await this.refresh();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  #take(value: T, warning: string | undefined): void {
    this.value = value;
    this.warning = warning;
    this.readAt = Date.now();
    this.failure = undefined;
  }
}

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
