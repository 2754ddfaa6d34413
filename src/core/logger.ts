import { type Clock, monotonicMs, systemClock } from "./clock.ts";
import { visible } from "./values/basics.ts";
import { BoundedMap } from "./values/bounded-map.ts";

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
    if (!repeats.isDue(message, reason)) return;
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

/** Causes of one kind of event that are told within a pause; further ones are not. */
const MAX_CAUSES = 10;

/** Kinds that are remembered; the one told longest ago is told again early, so that no kind takes another's place. */
const MAX_KINDS = 100;

/** Tells repeated events once, and again after a pause. */
export class Repeats {
  readonly #clock: Clock;
  readonly #pauseMs: number;
  /** By kind and cause, when it was told, monotonic milliseconds. */
  readonly #told = new BoundedMap<string, Map<string, number>>(MAX_KINDS);

  constructor(clock: Clock, pauseMs: number) {
    this.#clock = clock;
    this.#pauseMs = pauseMs;
  }

  /** Whether to tell it. Kinds are a few texts of this package; causes may be as many as a caller makes up. */
  isDue(kind: string, cause = ""): boolean {
    const now = monotonicMs(this.#clock);
    const causes = this.#told.get(kind) ?? new Map<string, number>();
    for (const [told, at] of causes) if (at <= now - this.#pauseMs) causes.delete(told);
    if (causes.has(cause) || causes.size >= MAX_CAUSES) return false;
    causes.set(cause, now);
    this.#told.setNewest(kind, causes);
    return true;
  }
}
