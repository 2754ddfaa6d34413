import type { Call } from "../calls/call.ts";
import type { Reads } from "../calls/reads.ts";
import type { Clock } from "../clock.ts";
import type { EngineLink } from "../engine/engine-link.ts";
import { AdminError } from "../errors.ts";
import { inParallel } from "../load/in-parallel.ts";
import type { CallName, Output } from "../operations/table.ts";
import { PATH_FIELD } from "../operations/target.ts";
import { TimeoutError, within } from "../timeout.ts";
import type { KnownStops } from "./known-stops.ts";
import { type Stoppable, sameReason } from "./stoppable.ts";

export interface HaltListOptions {
  readonly stops: KnownStops;
  readonly reads: Reads;
  readonly link: EngineLink;
  readonly clock: Clock;
  /** Settles when the records of former times have been read. */
  readonly recalling: () => Promise<void> | undefined;
}

type Halts = Output<"listHalts">;
type Halt = Halts["halts"][number];

/** A path to look at, and what is known of its halt. */
interface Candidate extends Pick<Partial<Stoppable>, "applied" | "doubted"> {
  readonly path: string;
}

/** Reads of one list that are in progress at a time. */
const WIDTH = 8;

/** How long a list waits for the records of former times. */
const RECALL_MS = 3_000;

/** Paths that a warning names; of others it says how many there are. */
const MOST_NAMED = 5;

/** Lists what is halted: the paths that were named here, as the engine shows them now. */
export class HaltList {
  readonly #options: HaltListOptions;

  constructor(options: HaltListOptions) {
    this.#options = options;
  }

  /** Rejects when the state of the whole system cannot be read; another path that cannot be read is named in a warning. */
  async list(call: Call<CallName>): Promise<Halts> {
    const due = this.#options.link.due();
    const warnings = await this.#recalled();
    const [root, ...nodes] = this.#candidates();
    const unread: string[] = [];
    const whole = await this.#halt(call, root, due);
    const others = await inParallel(nodes, WIDTH, async (node) => {
      try {
        return await this.#halt(call, node, due);
      } catch (error) {
        if (AdminError.from(error).code !== "NOT_FOUND") unread.push(node.path);
        return undefined;
      }
    });
    if (unread.length > 0) warnings.push(unreadWarning(unread));
    if (warnings.length > 0) call.context.onWarning?.(warnings.join("; "));
    const { lost } = this.#options.stops;
    const halts = [whole, ...others].filter((halt) => halt !== undefined);
    return { complete: false, halts, ...(lost.length > 0 && { lost }) };
  }

  /** Waits for records of former times, but not long: there may be hundreds of files. Returns what is to be said. */
  async #recalled(): Promise<string[]> {
    const { clock, recalling } = this.#options;
    try {
      await within(clock, RECALL_MS, recalling() ?? Promise.resolve(), "the audit records are still being read");
      return [];
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
      return ["The audit records are still being read: halts from before the start may be missing from the list"];
    }
  }

  /** The whole system first, then nodes by path. */
  #candidates(): [root: Candidate, ...nodes: Candidate[]] {
    const known = this.#options.stops.all.filter(({ kind }) => kind.stop === "haltTrading");
    const byPath = new Map(
      known.map(({ target, applied, doubted }): [string, Candidate] => {
        const path = String(target[PATH_FIELD]);
        return [path, { path, applied, doubted }];
      }),
    );
    const root = byPath.get("") ?? { path: "" };
    byPath.delete("");
    return [root, ...[...byPath.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1))];
  }

  async #halt(call: Call<CallName>, candidate: Candidate, due: number): Promise<Halt | undefined> {
    const { path: projectionPath, applied, doubted } = candidate;
    const input = { [PATH_FIELD]: projectionPath };
    const state = (await this.#options.reads.state(call, "getTradingStatus", input, due)) as Output<"getTradingStatus">;
    if (!state.halted) return undefined;
    const { reason } = state;
    // With another reason it is the halt of somebody else.
    const recorded = [doubted, applied].find((stop) => stop && sameReason(stop, reason));
    return {
      projectionPath,
      reason,
      since: recorded ? Date.parse(recorded.time) : null,
      by: recorded?.user ?? null,
    };
  }
}

/** For a header, which takes neither all characters nor any length. */
function unreadWarning(paths: readonly string[]): string {
  const named = paths.slice(0, MOST_NAMED).map((path) => JSON.stringify(path).replace(/[^ -~]/g, "?"));
  const more = paths.length > named.length ? ` and ${paths.length - named.length} more` : "";
  return `The engine did not show the state of ${named.join(", ")}${more}: halts there are missing from the list`;
}
