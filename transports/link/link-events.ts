import { type Clock, systemClock } from "../../src/core/clock.ts";
import { harmless, harmlessLog } from "../../src/core/host-calls.ts";
import { type Logger, processWarnings, Repeats } from "../../src/core/logger.ts";
import { EventLimiter } from "../../src/core/records/event-limiter.ts";
import type { LinkEvent } from "./link.ts";

export const LINK_EVENT_LEVELS: Readonly<Record<LinkEvent["kind"], "info" | "warn" | "error">> = {
  up: "info",
  here: "info",
  down: "error",
  gone: "error",
  split: "error",
  restarted: "warn",
  problem: "warn",
  "near-limit": "warn",
};

/** Writes what happens on a link to the log. */
export function logLinkEvent({ kind, message }: LinkEvent, log: Logger): void {
  log[LINK_EVENT_LEVELS[kind]](message);
}

/** Where the events of a transport go. */
export interface LinkListener {
  readonly tell: (event: LinkEvent) => void;
  /** Gives it the log of the API that starts the transport. */
  useLog(log: Logger | undefined): void;
}

/** `onEvent` of the host; without it, the log of the API, and without that, what goes wrong becomes a warning of the process (decision D-LOG 27). */
export function linkListener(onEvent: ((event: LinkEvent) => void) | undefined): LinkListener {
  if (onEvent) return { tell: harmless("`onEvent` of the host", onEvent), useLog: () => {} };
  let log = processWarnings("give AdminApi a `log`, or the transport `onEvent`, to have this elsewhere");
  const useLog = (given: Logger | undefined): void => {
    if (given) log = harmlessLog(given);
  };
  return { tell: (event) => logLinkEvent(event, log), useLog };
}

/** Problems of a link in a minute that are reported one by one. */
const MAX_PROBLEMS = 20;

interface Problem {
  readonly kind: string;
  readonly message: string;
}

/** Reports what happens on a link to the host; problems beyond 20 a minute are reported as a number (decision D-LOAD 15). */
export class LinkEvents {
  readonly #tell: (event: LinkEvent) => void;
  readonly #problems: EventLimiter<Problem>;

  constructor(tell: (event: LinkEvent) => void, clock: Clock) {
    this.#tell = tell;
    this.#problems = new EventLimiter<Problem>({
      clock,
      limit: MAX_PROBLEMS,
      groupOf: () => "",
      kindOf: ({ kind }) => kind,
      withoutGroup: (problem) => problem,
      report: (counted) => {
        for (const { first, count } of counted) {
          tell({ kind: "problem", count, message: `${count} more like this one: ${first.message}` });
        }
      },
    });
  }

  up(message: string): void {
    this.#tell({ kind: "up", message });
  }

  down(message: string): void {
    this.#tell({ kind: "down", message });
  }

  /** `kind`: problems that differ only in an id or a text have the same. */
  problem(kind: string, message: string): void {
    if (this.#problems.pass({ kind, message })) this.#tell({ kind: "problem", message });
  }

  /** Tells what was only counted. */
  close(): void {
    void this.#problems.close();
  }
}

/** Part of the limit from which a reply is near it. */
const NEAR = 0.8;
/** How long replies to the same operation are not reported again. */
const PAUSE_MS = 3_600_000;

/** Reports replies that are nearly too large for a bus, once an hour for each operation: a larger one can no longer be sent. */
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
