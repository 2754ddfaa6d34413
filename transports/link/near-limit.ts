import { systemClock } from "../../src/core/clock.ts";
import { Repeats } from "../../src/core/logger.ts";
import type { LinkEvent } from "./link.ts";

/** Part of the limit from which a reply is near it. */
const NEAR = 0.8;
/** How long nothing more is said of replies to the same operation. */
const PAUSE_MS = 3_600_000;

/** Tells of replies that are nearly too large for a bus, once an hour for each operation: a larger one can no longer be sent. */
export class NearLimit {
  readonly #onEvent: (event: LinkEvent) => void;
  readonly #repeats = new Repeats(systemClock, PAUSE_MS);

  constructor(onEvent: (event: LinkEvent) => void) {
    this.#onEvent = onEvent;
  }

  /** Looks at the size of a reply; `limit` is what the bus carries, and `remedy` what to raise. */
  check(operation: string, bytes: number, limit: number, remedy: string): void {
    if (bytes <= NEAR * limit || !this.#repeats.isDue(operation)) return;
    const part = Math.floor((100 * bytes) / limit);
    const sizes = `A reply to ${operation} has ${bytes} bytes, ${part} % of the ${limit} that can be carried`;
    this.#onEvent({ kind: "near-limit", message: `${sizes}; a larger one is lost: raise ${remedy}` });
  }
}
