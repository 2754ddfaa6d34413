import type { AuditRecord, AuditStage } from "../records/record.ts";
import { escapeControlCharacters } from "../records/record.ts";
import type { Fields } from "../values/basics.ts";
import type { StopKind } from "./stop-kinds.ts";

/** A stop as its audit record has it. */
export type RecordedStop = Pick<AuditRecord, "id" | "requestId" | "time" | "user" | "reason" | "target" | "operation">;

/** How long the engine may take to show what it has accepted, before its state is compared. */
const SETTLE_MS = 5_000;

/**
 * Something that can be stopped, and what is known of it from the commands that named it: the stop in force, commands in progress,
 * commands of unknown outcome.
 */
export class Stoppable {
  readonly kind: StopKind;
  /** Fields that name it, as the last command wrote them. */
  target: Fields;
  /** The last stop that was applied and not taken back. */
  applied: RecordedStop | undefined;
  /** A later stop of unknown outcome. */
  doubted: RecordedStop | undefined;
  /** The engine was seen not to show {@link applied}. */
  lost = false;
  /** Grows with each command and outcome: a state that was read across one of them proves nothing. */
  changes = 0;
  readonly #inProgress = new Set<string>();
  /** Id of a command of unknown outcome that would take the stop back. */
  #doubtedUndo: string | undefined;
  /** Monotonic milliseconds. */
  #settledAt = Number.NEGATIVE_INFINITY;

  constructor(kind: StopKind, target: Fields) {
    this.kind = kind;
    this.target = target;
  }

  /** Whether it is stopped, may be, or was and should be; such a one is remembered before others. */
  get isHeld(): boolean {
    return this.applied !== undefined || this.doubted !== undefined || this.#inProgress.size > 0;
  }

  /** Monotonic milliseconds from which on a state can be compared; undefined while there is nothing to compare. */
  get comparableFrom(): number | undefined {
    if (this.#inProgress.size > 0 || this.#doubtedUndo !== undefined) return undefined;
    return this.applied || this.doubted ? this.#settledAt : undefined;
  }

  /** Notes a command that is about to be sent. */
  begins(id: string): void {
    this.changes += 1;
    this.#inProgress.add(id);
  }

  /** Notes what became of a command, at a monotonic time. */
  ended(stop: RecordedStop, stage: AuditStage, at: number): void {
    this.changes += 1;
    this.#inProgress.delete(stop.id);
    this.#settledAt = at + SETTLE_MS;
    if (stage === "applied") this.#apply(stop);
    else if (stage === "unknown") this.#doubt(stop);
    else if (stage === "applied late" && this.#isDoubted(stop)) this.#apply(stop);
    else if (stage === "rejected late") this.#clearDoubt(stop);
  }

  /** Notes that the engine shows the stop less than it was applied, or that it shows one of unknown outcome or shows it again. */
  found(stop: Pick<RecordedStop, "id">, stage: "state-lost" | "state-shown"): void {
    if (this.applied?.id === stop.id) this.lost = stage === "state-lost";
    else if (this.doubted?.id === stop.id && stage === "state-shown") this.#apply(this.doubted);
  }

  /** Whether a state shows the doubted stop, and not one that was there before it. */
  provesDoubted({ reason }: Fields): boolean {
    if (!this.doubted) return false;
    if (reason === undefined) return this.applied === undefined || this.lost;
    return sameReason(this.doubted, reason) && !(this.applied && !this.lost && sameReason(this.applied, reason));
  }

  #apply(stop: RecordedStop): void {
    this.applied = stop.operation === this.kind.stop ? stop : undefined;
    this.doubted = undefined;
    this.#doubtedUndo = undefined;
    this.lost = false;
  }

  #doubt(stop: RecordedStop): void {
    if (stop.operation === this.kind.stop) this.doubted = stop;
    else this.#doubtedUndo = stop.id;
  }

  #isDoubted({ id }: RecordedStop): boolean {
    return this.doubted?.id === id || this.#doubtedUndo === id;
  }

  #clearDoubt({ id }: RecordedStop): void {
    if (this.doubted?.id === id) this.doubted = undefined;
    if (this.#doubtedUndo === id) this.#doubtedUndo = undefined;
  }
}

/** Whether the engine shows the reason of a stop; records have control characters escaped. */
export function sameReason(stop: RecordedStop, shown: unknown): boolean {
  return stop.reason === escapeControlCharacters(shown);
}
