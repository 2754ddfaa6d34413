import type { Clock } from "./clock.ts";
import { AdminError } from "./errors.ts";
import { RoundRobin } from "./round-robin.ts";

/** How long a read waits until it may be sent. */
const PATIENCE_MS = 1_000;

interface Waiting {
  readonly user: string;
  readonly admit: () => void;
}

/** Reads that wait until they may be sent, users taking turns. */
export class ReadQueue {
  readonly #clock: Clock;
  readonly #waiting = new RoundRobin<Waiting>();
  #size = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#size;
  }

  /** Resolves when it is the turn of this read; rejects with `ENGINE_OVERLOADED` when that takes too long. */
  wait(user: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        user,
        admit: () => {
          cancel();
          resolve();
        },
      };
      const cancel = this.#clock.schedule(PATIENCE_MS, () => {
        this.#waiting.remove(user, waiting);
        this.#size -= 1;
        reject(new AdminError("ENGINE_OVERLOADED", "Too many reads are under way; nothing was sent"));
      });
      this.#waiting.push(user, waiting);
      this.#size += 1;
    });
  }

  /** Lets the next one go. */
  admitNext(): void {
    const next = this.#waiting.shift();
    if (!next) return;
    this.#size -= 1;
    next.admit();
  }
}
