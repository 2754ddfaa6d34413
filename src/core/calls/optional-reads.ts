import { type Clock, monotonicMs } from "../clock.ts";
import { AdminError, type AdminErrorCode } from "../errors.ts";
import type { EngineReadName } from "../operations/engine-reads.ts";
import type { BusOutput, CallName } from "../operations/table.ts";
import type { Call } from "./call.ts";
import type { Reads } from "./reads.ts";

/**
 * Refusals of a read without input: the engine does not have it, whatever words an older one has for that. But for the first they may be about
 * the caller, so each caller asks again.
 */
const ABSENT: ReadonlySet<AdminErrorCode> = new Set(["NOT_SUPPORTED", "REJECTED", "NOT_FOUND"]);

/** How long an engine is not asked again for what it does not have. */
const PAUSE_MS = 60_000;

export interface OptionalReadsOptions {
  readonly reads: Reads;
  readonly clock: Clock;
}

/**
 * Asks the engine for what it may have or not (decision D-ENG 28). One that does not have it is asked again after a minute, or when it may
 * be another one.
 */
export class OptionalReads {
  readonly #options: OptionalReadsOptions;
  /** When the engine said that it does not have a read, monotonic milliseconds. */
  readonly #absentSince = new Map<EngineReadName, number>();

  constructor(options: OptionalReadsOptions) {
    this.#options = options;
  }

  /** Reads with the identity of the caller, by a monotonic moment; undefined where the engine has no such read. Rejects with `AdminError`. */
  async ask<K extends EngineReadName>(of: Call<CallName>, name: K, due: number): Promise<BusOutput<K> | undefined> {
    const { reads, clock } = this.#options;
    const absentSince = this.#absentSince.get(name);
    if (absentSince !== undefined && monotonicMs(clock) - absentSince < PAUSE_MS) return undefined;
    try {
      const output = await reads.state(of, name, {}, due);
      this.#absentSince.delete(name);
      return output as BusOutput<K>;
    } catch (error) {
      const { code } = AdminError.from(error);
      if (!ABSENT.has(code)) throw error;
      if (code === "NOT_SUPPORTED") this.#absentSince.set(name, monotonicMs(clock));
      return undefined;
    }
  }

  /** The engine's description of itself. Rejects with `NOT_FOUND` where it has none. */
  async description(of: Call<CallName>, due: number): Promise<BusOutput<"describeEngine">> {
    const description = await this.ask(of, "describeEngine", due);
    if (description) return description;
    throw new AdminError("NOT_FOUND", "The engine does not describe itself: it has no operation describeEngine");
  }

  /** The engine may be another one: it is asked again. */
  forget(): void {
    this.#absentSince.clear();
  }
}
