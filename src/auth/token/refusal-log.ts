import type { Clock } from "../../core/clock.ts";
import type { SecurityLog } from "../file-watch.ts";

const PAUSE_MS = 60_000;
const MAX_REASONS = 100;

/** Tells the operator why tokens are refused, since callers are not told: at most one line a minute for each reason. */
export class RefusalLog {
  readonly #log: SecurityLog;
  readonly #clock: Clock;
  /** By reason: when the last line was written. */
  readonly #written = new Map<string, number>();

  constructor(log: SecurityLog, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  add(reason: string): void {
    const now = this.#clock.now();
    const last = this.#written.get(reason);
    if (last === undefined ? this.#written.size >= MAX_REASONS : now - last < PAUSE_MS) return;
    this.#written.set(reason, now);
    this.#log.warn(`A bearer token was refused: ${reason}`);
  }
}
