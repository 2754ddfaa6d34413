import type { Clock } from "../../core/clock.ts";
import type { Logger } from "../../core/logger.ts";

const PAUSE_MS = 60_000;
const MAX_SENTENCES = 100;

/** Logs what is wrong with tokens, since callers do not learn it: at most one line a minute for each sentence. */
export class TokenLog {
  readonly #log: Logger;
  readonly #clock: Clock;
  /** By sentence: when the last line was written. */
  readonly #written = new Map<string, number>();

  constructor(log: Logger, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  add(sentence: string): void {
    const now = this.#clock.now();
    const last = this.#written.get(sentence);
    if (last === undefined ? this.#written.size >= MAX_SENTENCES : now - last < PAUSE_MS) return;
    this.#written.set(sentence, now);
    this.#log.warn(sentence);
  }
}
