import type { Stoppable } from "./stoppable.ts";

const MAX_STOPS = 5_000;

/** For all of them: reasons and paths are of up to 8 KB in a record. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Of each, besides its texts. */
const OBJECTS_BYTES = 1_024;

interface Held {
  readonly stoppable: Stoppable;
  /** Who stopped it first; empty while that is in progress. */
  readonly owner: string;
  /** Bytes by user: what each of them wrote, and what it takes besides by its owner. */
  readonly bytes: ReadonlyMap<string, number>;
}

/**
 * What is stopped, or may be, by its key. Where there is no room for one more, the user who takes the most of it makes it: whoever stops
 * thousands of things, or repeats thousands of stops, must not make the gateway forget what others stopped.
 */
export class HeldStops {
  /** The latest named last. */
  readonly #held = new Map<string, Held>();
  readonly #stopsOf = new Tally();
  readonly #bytesOf = new Tally();
  #forgotten = 0;

  /** How many have made room for later ones. */
  get forgotten(): number {
    return this.#forgotten;
  }

  get all(): Stoppable[] {
    return [...this.#held.values()].map(({ stoppable }) => stoppable);
  }

  get(key: string): Stoppable | undefined {
    return this.#held.get(key)?.stoppable;
  }

  /** Adds it as the latest named one, with what is known of it now. */
  set(key: string, stoppable: Stoppable): void {
    this.delete(key);
    this.#put(key, stoppable);
    while (this.#held.size > MAX_STOPS) this.#forgetOldestOf(this.#stopsOf.largest);
    while (this.#bytesOf.sum > MAX_BYTES) this.#lighten(this.#bytesOf.largest);
  }

  delete(key: string): void {
    const held = this.#held.get(key);
    if (!held) return;
    this.#held.delete(key);
    this.#count(held, -1);
  }

  #forgetOldestOf(user: string): void {
    const [key] = this.#oldest(({ owner }) => owner === user);
    this.delete(key);
    this.#forgotten += 1;
  }

  /** Forgets the oldest stop of a user, or what the user wrote at the oldest of another's. */
  #lighten(user: string): void {
    const [key, held] = this.#oldest(({ bytes }) => bytes.has(user));
    const { owner, stoppable } = held;
    if (owner === user) {
      this.#forgetOldestOf(user);
      return;
    }
    stoppable.keepOnlyThoseOf(owner);
    this.#count(held, -1);
    this.#put(key, stoppable);
  }

  #oldest(matches: (held: Held) => boolean): [key: string, Held] {
    for (const entry of this.#held) if (matches(entry[1])) return entry;
    throw new Error("what is counted for a user is held");
  }

  /** One that is held already keeps its place. */
  #put(key: string, stoppable: Stoppable): void {
    const owner = (stoppable.first ?? stoppable.doubted)?.user ?? "";
    const held = { stoppable, owner, bytes: bytesByUser(key, stoppable, owner) };
    this.#held.set(key, held);
    this.#count(held, 1);
  }

  #count({ owner, bytes }: Held, sign: 1 | -1): void {
    this.#stopsOf.add(owner, sign);
    for (const [user, amount] of bytes) this.#bytesOf.add(user, sign * amount);
  }
}

/** Amounts by user. */
class Tally {
  readonly #amounts = new Map<string, number>();
  #sum = 0;

  get sum(): number {
    return this.#sum;
  }

  /** The user with the largest amount. */
  get largest(): string {
    const [[user] = [""]] = [...this.#amounts].sort(([, one], [, other]) => other - one);
    return user;
  }

  add(user: string, amount: number): void {
    this.#sum += amount;
    const ofUser = (this.#amounts.get(user) ?? 0) + amount;
    if (ofUser > 0) this.#amounts.set(user, ofUser);
    else this.#amounts.delete(user);
  }
}

/** What it takes at most, two bytes for each character, by the user who wrote it; its name and objects by its owner. */
function bytesByUser(key: string, { target, records }: Stoppable, owner: string): ReadonlyMap<string, number> {
  const bytes = new Map([[owner, OBJECTS_BYTES + textBytes([key, ...Object.values(target)])]]);
  for (const record of records) {
    const user = record.user ?? "";
    bytes.set(user, (bytes.get(user) ?? 0) + textBytes(Object.values(record)));
  }
  return bytes;
}

function textBytes(values: readonly unknown[]): number {
  return values.reduce<number>((sum, value) => sum + (typeof value === "string" ? 2 * value.length : 0), 0);
}
