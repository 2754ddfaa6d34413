import type { Clock } from "../clock.ts";
import type { Listeners } from "../events.ts";
import type { Gate } from "../load/gate.ts";
import type { AuditTrail } from "../records/audit-trail.ts";
import type { AuditRecord } from "../records/record.ts";
import { openIntents, type RecordReading, untold } from "./cut-off.ts";

/** Time between two looks at the trails of others. Whoever lives has recorded the outcome of a command by then. */
const PACE_MS = 60_000;

/** Ids that one audit record names. */
const MAX_IDS = 500;

export interface CutOffWatchOptions {
  readonly trail: AuditTrail;
  readonly listeners: Listeners;
  readonly gate: Gate;
  readonly clock: Clock;
  readonly neighbours: Neighbours | undefined;
}

/**
 * Reports intents whose gateway ended before their outcome was recorded: those of this gateway's own trail, as they are handed to it, and
 * those of the trails beside it that nobody writes any more (decision D-LOG 24).
 */
export class CutOffWatch {
  readonly #options: CutOffWatchOptions;
  /** Versions of the abandoned trails at the last look. */
  #seen: ReadonlyMap<string, string> = new Map();
  /** Versions of trails that have been dealt with. */
  readonly #done = new Map<string, string>();
  #working: Promise<void> = Promise.resolve();
  #stop: (() => void) | undefined;
  #closed = false;

  constructor(options: CutOffWatchOptions) {
    this.#options = options;
  }

  /** Looks at the trails beside its own, now and slowly from then on. */
  start(): void {
    const { neighbours, clock } = this.#options;
    if (!neighbours) return;
    const look = (): void => this.#enqueue(() => this.#look(neighbours));
    look();
    this.#stop = clock.every?.(PACE_MS, look);
  }

  /** Reports intents of its own trail, unless another gateway has. */
  tell(intents: readonly AuditRecord[]): void {
    this.#enqueue(() => this.#tellOnce(intents));
  }

  /** Resolves once nothing is read or told any more. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stop?.();
    await this.#working;
  }

  #enqueue(work: () => Promise<void>): void {
    this.#working = this.#working.then(async () => {
      try {
        if (!this.#closed) await work();
      } catch (cause) {
        const message = "Audit files of gateways that have ended cannot be read; not all cut off commands are reported";
        this.#options.listeners.fail(message, cause);
      }
    });
  }

  /**
   * A trail that did not change between two looks is of a gateway that is gone. A lock that is free is not enough: that of a gateway on
   * another machine, with which this one shares the folder, always looks free.
   */
  async #look(neighbours: Neighbours): Promise<void> {
    const found = await neighbours.abandoned();
    const due = found.filter(
      ({ path, version }) => this.#seen.get(path) === version && this.#done.get(path) !== version,
    );
    this.#seen = new Map(found.map(({ path, version }) => [path, version]));
    for (const abandoned of due) await this.#tellOf(abandoned);
  }

  async #tellOf({ path, version, records }: AbandonedTrail): Promise<void> {
    if (this.#closed) return;
    // Also where it cannot be read: that is reported once.
    this.#done.set(path, version);
    const open = await openIntents(records(), this.#reading);
    if (open.length > 0) await this.#tellOnce(open);
  }

  /** Reports those that no record of any trail settles or reports. */
  async #tellOnce(intents: readonly AuditRecord[]): Promise<void> {
    const { neighbours } = this.#options;
    if (!neighbours) return this.#tell(intents);
    await neighbours.alone(async () => this.#tell(await this.#untold(intents, neighbours)));
  }

  async #untold(intents: readonly AuditRecord[], neighbours: Neighbours): Promise<readonly AuditRecord[]> {
    try {
      return await untold(intents, neighbours.all(), this.#reading);
    } catch (cause) {
      const message = "Audit files of other gateways cannot be read; cut off commands may be told again";
      this.#options.listeners.fail(message, cause);
      return intents;
    }
  }

  async #tell(intents: readonly AuditRecord[]): Promise<void> {
    const { trail, listeners } = this.#options;
    if (this.#closed) return;
    for (let from = 0; from < intents.length; from += MAX_IDS) {
      const some = intents.slice(from, from + MAX_IDS);
      const record = trail.cutOffRecord(some);
      listeners.emit("cutOff", { record, intents: some });
      await trail.keep(record, trail.timeoutMs);
    }
  }

  get #reading(): RecordReading {
    return { gate: this.#options.gate, isClosed: () => this.#closed };
  }
}

/** Audit trails in one place with that of a gateway, such as those of all pods on one volume. */
export interface Neighbours {
  /** Trails of other gateways that no process of this machine holds. */
  abandoned(): Promise<readonly AbandonedTrail[]>;
  /** The records of all trails, its own among them. */
  all(): AsyncIterable<AuditRecord>;
  /** Runs `use` while no other process of this machine runs its own; if another one takes too long, nonetheless. */
  alone(use: () => Promise<void>): Promise<void>;
}

/** The audit trail of a gateway that is gone. */
export interface AbandonedTrail {
  /** Path of its current file. */
  readonly path: string;
  /** Another one after each change. */
  readonly version: string;
  /** Its records, in their order. */
  records(): AsyncIterable<AuditRecord>;
}
