import type { Clock } from "../clock.ts";

/** How often the event loop is looked at, and from which delay on the process was paused. */
const LOOK_MS = 50;
const STALL_MS = 250;

/**
 * Knows when this process was paused, as when its virtual machine is moved: what lay in its sockets meanwhile did not arrive when it
 * is read. Everything that is read soon after a stall counts from when the stall began (decision D-ENG 22).
 */
export class Stalls {
  readonly #monotonic: () => number;
  #looked: number;
  /** When the stall that ended at the last look began. */
  #began: number | undefined;
  #end: (() => void) | undefined;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
    this.#looked = monotonic();
  }

  /** Watches the event loop, where the clock can do so in the background. */
  start({ every }: Pick<Clock, "every">): void {
    this.#looked = this.#monotonic();
    this.#end ??= every?.(LOOK_MS, () => this.#look());
  }

  stop(): void {
    this.#end?.();
    this.#end = undefined;
  }

  /** Monotonic milliseconds from which something counts that is read now. */
  arrival(): number {
    const now = this.#monotonic();
    if (!this.#end) return now;
    if (now - this.#looked > STALL_MS) return this.#looked;
    return this.#began ?? now;
  }

  #look(): void {
    const now = this.#monotonic();
    this.#began = now - this.#looked > STALL_MS ? this.#looked : undefined;
    this.#looked = now;
  }
}
