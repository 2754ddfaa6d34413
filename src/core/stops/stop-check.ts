import type { Reads } from "../calls/reads.ts";
import { type Clock, monotonicMs } from "../clock.ts";
import type { EngineTransport } from "../engine/transport.ts";
import { AdminError } from "../errors.ts";
import type { Listeners } from "../events.ts";
import type { Gate } from "../load/gate.ts";
import type { Input } from "../operations/table.ts";
import type { AuditTrail } from "../records/audit-trail.ts";
import type { AuditRecord } from "../records/record.ts";
import { type Fields, isObject } from "../values/basics.ts";
import { withCutOff } from "./cut-off.ts";
import type { CutOffWatch } from "./cut-off-watch.ts";
import { type KnownStops, recordedStop } from "./known-stops.ts";
import type { StopFinding, Stoppable } from "./stoppable.ts";
import { lostWords, shownWords } from "./words.ts";

/** How often a link that is down is looked at. */
const DOWN_PACE_MS = 1_000;

/** Reads that are in progress at a time. */
const WIDTH = 4;

export interface StopCheckOptions {
  readonly stops: KnownStops;
  readonly reads: Pick<Reads, "own">;
  readonly transport: Pick<EngineTransport, "state">;
  readonly trail: Pick<AuditTrail, "noticed" | "keep" | "timeoutMs">;
  readonly listeners: Listeners;
  readonly cutOff: Pick<CutOffWatch, "tell">;
  readonly gate: Gate;
  readonly clock: Clock;
  /** Whether there is anything to do beside reading the earlier records. */
  readonly isOn: boolean;
}

/**
 * Compares what was stopped with what the engine shows: after each new link, and slowly from then on; each stop has a look in its own
 * time, and what is due longest comes first. Tells once of each stop that the
 * engine no longer shows and that no command of this API took back (decision D-ENG 18). It reads and tells; it sends no command.
 */
export class StopCheck {
  readonly #options: StopCheckOptions;
  #cancel: () => void = () => {};
  #plannedAt = Number.POSITIVE_INFINITY;
  /** What is due, in the order of its times, and what is being looked at. */
  #due: Stoppable[] = [];
  readonly #looking = new Map<Stoppable, Promise<void>>();
  #recalling: Promise<void> | undefined;
  #closed = false;

  constructor(options: StopCheckOptions) {
    this.#options = options;
    options.stops.onNextLook = (at) => this.#plan(at);
  }

  /** Reads the earlier records, if any, and begins to compare. */
  start(history: AsyncIterable<AuditRecord> | undefined): void {
    if (!history) return;
    this.#recalling = this.#recall(history).finally(() => {
      this.#recalling = undefined;
      this.soon();
    });
  }

  /** Settles when the earlier records have been read; undefined once they have. */
  get recalling(): Promise<void> | undefined {
    return this.#recalling;
  }

  /** Compares now, as there may be a new link. */
  soon(): void {
    const { stops, isOn } = this.#options;
    if (isOn) stops.linkCameUp();
    const isKnown = stops.all.some(({ nextLook }) => nextLook !== undefined);
    if (isKnown) this.#plan(this.#now);
  }

  /** Resolves once nothing is compared any more. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel();
    this.#due = [];
    await Promise.all([this.#recalling, ...this.#looking.values()]);
  }

  get #now(): number {
    return monotonicMs(this.#options.clock);
  }

  async #recall(history: AsyncIterable<AuditRecord>): Promise<void> {
    const { stops, gate, listeners, cutOff } = this.#options;
    try {
      const records = withCutOff(history, { gate, isClosed: () => this.#closed }, (intents) => {
        if (!this.#closed) cutOff.tell(intents);
      });
      await stops.recall(records);
    } catch (cause) {
      const message = "The earlier audit records cannot be read; stops from before the start are not all known";
      listeners.fail(message, cause);
    }
  }

  /** Makes sure that what is due at a monotonic time is looked at then. */
  #plan(at: number): void {
    if (!this.#options.isOn || this.#closed || this.#recalling || this.#plannedAt <= at) return;
    this.#cancel();
    this.#plannedAt = at;
    this.#cancel = this.#options.clock.schedule(Math.max(0, at - this.#now), () => {
      this.#plannedAt = Number.POSITIVE_INFINITY;
      this.#lookAtDue();
    });
  }

  /** Nothing is planned while there is nothing to compare: a program that stops nothing must not be kept alive. */
  #lookAtDue(): void {
    const { stops, transport } = this.#options;
    const now = this.#now;
    const times = stops.all.flatMap((stoppable) => {
      const at = stoppable.nextLook;
      return at === undefined || this.#looking.has(stoppable) ? [] : [{ stoppable, at }];
    });
    if (transport.state === "down") {
      // The next link is a new one, also where the host does not call `soon`.
      stops.linkCameUp();
      if (times.length > 0) this.#plan(now + DOWN_PACE_MS);
      return;
    }
    times.sort((one, other) => one.at - other.at);
    this.#due = times.filter(({ at }) => at <= now).map(({ stoppable }) => stoppable);
    this.#plan(times[this.#due.length]?.at ?? Number.POSITIVE_INFINITY);
    this.#lookAtNext();
  }

  #lookAtNext(): void {
    while (this.#looking.size < WIDTH) {
      const next = this.#due.shift();
      if (!next) return;
      // A command may have been sent meanwhile: its outcome is planned for.
      if ((next.nextLook ?? Number.POSITIVE_INFINITY) <= this.#now) this.#looking.set(next, this.#look(next));
    }
  }

  async #look(stoppable: Stoppable): Promise<void> {
    try {
      await this.#compare(stoppable);
    } catch (cause) {
      stoppable.unread(this.#now);
      this.#options.listeners.fail("A stop could not be compared with the engine", cause);
    } finally {
      this.#looking.delete(stoppable);
      this.#plan(stoppable.nextLook ?? Number.POSITIVE_INFINITY);
      this.#lookAtNext();
    }
  }

  async #compare(stoppable: Stoppable): Promise<void> {
    const { changes } = stoppable;
    const state = await this.#read(stoppable);
    if (this.#closed || stoppable.changes !== changes) return;
    if (state === "unread") {
      stoppable.unread(this.#now);
      return;
    }
    const finding = stoppable.compare(state, this.#now);
    if (finding) await this.#tell(finding, stoppable);
  }

  /** The state that the engine shows; undefined where it does not have the target. A read that fails otherwise says nothing. */
  async #read({ kind, target }: Stoppable): Promise<Fields | undefined | "unread"> {
    try {
      const state: unknown = await this.#options.reads.own(kind.read, target as Input<typeof kind.read>);
      return isObject(state) ? state : "unread";
    } catch (error) {
      return AdminError.from(error).code === "NOT_FOUND" ? undefined : "unread";
    }
  }

  async #tell({ stage, stop }: StopFinding, { doubted, target }: Stoppable): Promise<void> {
    const { stops, trail, listeners, clock } = this.#options;
    const told = recordedStop(stop);
    const now = clock.now();
    const isLost = stage === "state-lost";
    const words = isLost ? lostWords(told, now) : shownWords(told, stop === doubted ? "unknown" : "lost", now);
    const record = trail.noticed(stage, { ...stop, parameters: target }, words);
    stops.note(record, target);
    listeners.emit(isLost ? "stateLost" : "stateShown", record);
    await trail.keep(record, trail.timeoutMs);
  }
}
