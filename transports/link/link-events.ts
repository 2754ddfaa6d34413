import type { Clock } from "../../src/core/clock.ts";
import { EventLimiter } from "../../src/core/records/event-limiter.ts";
import type { LinkEvent } from "./link.ts";

/** Problems of a link in a minute that are told one by one. */
const MAX_PROBLEMS = 20;

interface Problem {
  readonly kind: string;
  readonly message: string;
}

/** Tells a host what happens on a link; problems beyond 20 a minute are told as a number (decision D-LOAD 15). */
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
