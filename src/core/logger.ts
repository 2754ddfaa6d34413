import { type Clock, monotonicMs } from "./clock.ts";

/**
 * Where the library writes what operators should know. A logger of winston fits as it is, and so does `console`; pino drops the details
 * unless they come first. Messages are complete in themselves; `details` hold the same for machines, and nothing secret.
 */
export interface Logger {
  info(message: string, details?: Readonly<Record<string, unknown>>): void;
  warn(message: string, details?: Readonly<Record<string, unknown>>): void;
  error(message: string, details?: Readonly<Record<string, unknown>>): void;
}

/** A log that collects warnings and errors in memory. */
export function keptLog(): { readonly log: Logger; readonly warnings: string[]; readonly problems: string[] } {
  const warnings: string[] = [];
  const problems: string[] = [];
  const log: Logger = {
    info: () => {},
    warn: (message) => void warnings.push(message),
    error: (message) => void problems.push(message),
  };
  return { log, warnings, problems };
}

/** Limit of messages that are remembered; beyond it, new ones are not logged. */
const MAX_KEYS = 100;

/** Logs repeated events once, and again after a pause. */
export class Repeats {
  readonly #clock: Clock;
  readonly #pauseMs: number;
  /** By key, when it was told, monotonic milliseconds. */
  readonly #told = new Map<string, number>();

  constructor(clock: Clock, pauseMs: number) {
    this.#clock = clock;
    this.#pauseMs = pauseMs;
  }

  isDue(key: string): boolean {
    const now = monotonicMs(this.#clock);
    const toldAt = this.#told.get(key);
    if (toldAt === undefined ? this.#told.size >= MAX_KEYS : now - toldAt < this.#pauseMs) return false;
    this.#told.set(key, now);
    return true;
  }
}
