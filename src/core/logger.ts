import { type Clock, monotonicMs, systemClock } from "./clock.ts";
import { visible } from "./values/basics.ts";

/**
 * Where the library writes what operators should know. A logger of winston fits as it is, and so does `console`; pino drops the details
 * unless they come first. Messages are complete in themselves; `details` hold the same for machines, and nothing secret.
 */
export interface Logger {
  /** What operators may want to read, such as that an audit file was rotated. */
  info(message: string, details?: Readonly<Record<string, unknown>>): void;
  /** What works, but not as intended. */
  warn(message: string, details?: Readonly<Record<string, unknown>>): void;
  /** What does not work. */
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

/** Name of the warnings; `node --disable-warning=TradingAdminWarning` turns them off. */
export const WARNING = "TradingAdminWarning";

/** How long a warning is not repeated. */
const WARNING_PAUSE_MS = 60_000;

/**
 * The log of a host that has given none: what goes wrong becomes a warning of the process, which Node.js prints, and no more than once a minute
 * (decision D-LOG 27). `elsewhere` says how the host takes it instead.
 */
export function processWarnings(elsewhere: string, clock: Clock = systemClock): Logger {
  const repeats = new Repeats(clock, WARNING_PAUSE_MS);
  const warn: Logger["warn"] = (message, { cause, ...details } = {}) => {
    // A cause may be a stack, which differs by the way of the call.
    const [reason] = String(cause ?? "").split("\n", 1);
    if (!repeats.isDue(`${message}\n${reason}`)) return;
    const known = Object.entries(details).filter(([, value]) => value !== undefined && value !== null);
    const facts = known.map(([name, value]) => `${name}: ${value}`).join(", ");
    const lines = [facts, ...String(cause ?? "").split("\n"), `(${elsewhere})`];
    // A reason or an engine's text must not steer the terminal of the host.
    const detail = lines
      .filter((line) => line !== "")
      .map(visible)
      .join("\n");
    process.emitWarning(visible(message), { type: WARNING, detail });
  };
  return { info: () => {}, warn, error: warn };
}

/** Different events that are logged within a pause; further ones are not. */
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
    if (this.#told.size >= MAX_KEYS || this.#told.has(key)) this.#forgetBefore(now - this.#pauseMs);
    if (this.#told.size >= MAX_KEYS || this.#told.has(key)) return false;
    this.#told.set(key, now);
    return true;
  }

  /** The pause of what was told until this time is over. */
  #forgetBefore(time: number): void {
    for (const [key, toldAt] of this.#told) if (toldAt <= time) this.#told.delete(key);
  }
}
