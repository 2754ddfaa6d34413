import type { Stoppable } from "./stoppable.ts";

const MAX_STOPS = 5_000;

/** For all of them: reasons and paths are of up to 8 KB in a record. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Of each, besides its texts. */
const OBJECTS_BYTES = 1_024;

interface Held {
  readonly stoppable: Stoppable;
  /** Who stopped it first; empty while that is in progress. */
  readonly user: string;
  readonly bytes: number;
}

/**
 * What is stopped, or may be, by its key. Where there is no room for one more, the user whose stops take the most of it makes it with the oldest
 * of them: whoever stops thousands of things must not make the gateway forget what others stopped.
 */
export class HeldStops {
  /** The latest named last. */
  readonly #held = new Map<string, Held>();
  readonly #bytesOf = new Map<string, number>();
  #bytes = 0;
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
    const user = (stoppable.first ?? stoppable.doubted)?.user ?? "";
    const bytes = bytesOf(key, stoppable);
    this.#held.set(key, { stoppable, user, bytes });
    this.#count(user, bytes);
    while (this.#held.size > MAX_STOPS || this.#bytes > MAX_BYTES) this.#forgetOne();
  }

  delete(key: string): void {
    const held = this.#held.get(key);
    if (!held) return;
    this.#held.delete(key);
    this.#count(held.user, -held.bytes);
  }

  #count(user: string, bytes: number): void {
    this.#bytes += bytes;
    const ofUser = (this.#bytesOf.get(user) ?? 0) + bytes;
    if (ofUser > 0) this.#bytesOf.set(user, ofUser);
    else this.#bytesOf.delete(user);
  }

  #forgetOne(): void {
    const [[most] = [""]] = [...this.#bytesOf].sort(([, one], [, other]) => other - one);
    for (const [key, { user }] of this.#held) {
      if (user !== most) continue;
      this.delete(key);
      this.#forgotten += 1;
      return;
    }
  }
}

/** What it takes at most: two bytes for each character. */
function bytesOf(key: string, { target, applied, first, doubted }: Stoppable): number {
  const fields = [target, ...new Set([applied, first, doubted])].flatMap((of) => Object.values(of ?? {}));
  const texts = [key, ...fields].filter((value) => typeof value === "string");
  return texts.reduce((sum, { length }) => sum + 2 * length, OBJECTS_BYTES);
}
