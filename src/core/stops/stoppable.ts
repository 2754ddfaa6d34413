import { type FieldCondition, isShown } from "../operations/operation.ts";
import { type OperationName, type Operations, operationNames, operationRecord } from "../operations/table.ts";
import { type AuditRecord, escapeControlCharacters, type NoticedStage } from "../records/record.ts";
import type { Fields } from "../values/basics.ts";
import { BoundedMap } from "../values/bounded-map.ts";

/** A kind of stop that lasts until a change takes it back, as the operation table describes it. */
export interface StopKind {
  readonly stop: OperationName;
  readonly undo: OperationName;
  /** Input fields that name what is stopped; they are the input of {@link read}. */
  readonly target: readonly string[];
  /** The read that shows whether the stop is active. */
  readonly read: OperationName;
  /** Conditions on the output of {@link read} while the stop is active. */
  readonly shown: readonly FieldCondition[];
  /** Whether {@link read} shows the reason of the stop. */
  readonly showsReason: boolean;
}

/** All kinds of lasting stops of a table. A stop that nothing undoes, such as a disconnection, leaves no state behind. */
export function stopKinds(operations: Operations): StopKind[] {
  return operationNames.flatMap((undo) => {
    const { undoes } = operationRecord(operations, undo);
    if (undoes === undefined) return [];
    const stop = undoes as OperationName;
    const { target, confirmedBy } = operationRecord(operations, stop);
    if (!confirmedBy)
      throw new Error(`${stop} lasts until ${undo}, so the operation table has to say which read shows it`);
    const { shown, repeats = [] } = confirmedBy;
    const read = confirmedBy.read as OperationName;
    return [{ stop, undo, target, read, shown, showsReason: repeats.includes("reason") }];
  });
}

/** How long the engine may take to show what it has accepted, before its state is compared. */
const SETTLE_MS = 5_000;

/** A stop is lost when two reads so far apart do not show it: an engine that starts may not have loaded its own state yet. */
const SECOND_LOOK_MS = 2_000;

/** The slow pace at which the engine is compared with what was stopped. */
const PACE_MS = 15_000;

/** When a read that failed is repeated; each time twice as long, up to the slow pace. */
const RETRY_MS = 1_000;

/** Commands of unknown outcome that are kept for one target. */
const MAX_DOUBTS = 8;

/** A command of unknown outcome, later than whatever is known to have been carried out. */
interface Doubt {
  readonly record: AuditRecord;
  /** In the order of sending. */
  readonly place: number;
  /** When the engine has carried it out or never will, monotonic milliseconds. */
  readonly settledAt: number;
  /** A later read has shown that it took nothing back: only a late reply can still say that it was carried out. */
  isDisproved: boolean;
}

/** Result of comparing the stop of an audit record with the engine. */
export interface StopFinding {
  readonly stage: Extract<NoticedStage, "state-lost" | "state-shown">;
  readonly stop: AuditRecord;
}

/**
 * Something that can be stopped, and what is known of it from the commands that named it: the active stop, commands in progress,
 * commands of unknown outcome.
 */
export class Stoppable {
  readonly kind: StopKind;
  /** Fields that name it, as the last command wrote them. */
  target: Readonly<Record<string, string>>;
  /** Record of the last stop that was applied and not taken back. */
  applied: AuditRecord | undefined;
  /** Record of the first of the stops of which {@link applied} is the last: the others repeated it while it was active. */
  first: AuditRecord | undefined;
  /** The engine was seen not to show {@link applied}. */
  lost = false;
  /** The engine shows the stop again after it was lost: somebody may have sent it elsewhere, for another reason. */
  isShownAgain = false;
  /** Grows with each command and outcome: a state that was read across one of them proves nothing. */
  changes = 0;
  /** Places of the commands in progress in the order of sending, in which the engine carries them out; replies come in any. */
  readonly #inProgress = new Map<string, number>();
  #sent = 0;
  /** Place of the latest command that was applied. */
  #appliedPlace = 0;
  /** By id. */
  readonly #doubts = new BoundedMap<string, Doubt>(MAX_DOUBTS);
  /** Monotonic milliseconds. */
  #settledAt = 0;
  /** When its state is to be looked at again, monotonic milliseconds. */
  #lookAt = 0;
  #retryMs = RETRY_MS;
  /** The link to the engine came up, and nothing has been compared since. */
  #linkIsNew = false;
  /** When a read did not show {@link applied}, monotonic milliseconds; undefined if the last one did. */
  #missedAt: number | undefined;

  constructor(kind: StopKind, target: Stoppable["target"]) {
    this.kind = kind;
    this.target = target;
  }

  /** Whether it is stopped, may be, or was and should be; such a one is remembered before others. */
  get isHeld(): boolean {
    return this.applied !== undefined || this.doubted !== undefined || this.#inProgress.size > 0;
  }

  /** Record of the latest stop of unknown outcome that was sent after whatever is known to have been carried out. */
  get doubted(): AuditRecord | undefined {
    let latest: Doubt | undefined;
    for (const doubt of this.#doubts.values())
      if (this.#isStop(doubt.record) && doubt.place > (latest?.place ?? 0)) latest = doubt;
    return latest?.record;
  }

  /** All records that it keeps. */
  get records(): ReadonlySet<AuditRecord> {
    const doubted = [...this.#doubts.values()].map(({ record }) => record);
    return new Set([this.first, this.applied, ...doubted].filter((record) => record !== undefined));
  }

  /** When its state is to be looked at, monotonic milliseconds; undefined while there is nothing to compare. */
  get nextLook(): number | undefined {
    if (this.#inProgress.size > 0) return undefined;
    return this.applied || this.doubted ? this.#lookAt : undefined;
  }

  /** Whether the stop is to be compared with an engine that may have forgotten it: it may have been restarted. */
  get isUncompared(): boolean {
    return this.#linkIsNew && this.applied !== undefined && !this.lost && this.nextLook !== undefined;
  }

  /** Notes that the link to the engine came up: what was read before says nothing of the engine behind it. */
  linkCameUp(): void {
    this.changes += 1;
    this.#linkIsNew = true;
    this.#lookAgain(this.#settledAt);
  }

  /** Notes a command that is about to be sent. */
  begins(id: string): void {
    this.changes += 1;
    this.#linkIsNew = false;
    this.#missedAt = undefined;
    this.#sent += 1;
    this.#inProgress.set(id, this.#sent);
  }

  /** Notes the outcome of a command, at a monotonic time; the engine may carry one of unknown outcome out for `timeoutMs` more. */
  ended(record: AuditRecord, at: number, timeoutMs: number): void {
    this.changes += 1;
    this.#missedAt = undefined;
    const doubt = this.#doubts.get(record.id);
    const place = this.#inProgress.get(record.id) ?? doubt?.place ?? this.#sent;
    this.#inProgress.delete(record.id);
    this.#settledAt = at + SETTLE_MS;
    this.#lookAgain(this.#settledAt);
    // A later command has replaced what this one did, or may have done.
    if (place < this.#appliedPlace) return;
    const { stage } = record;
    if (stage === "applied" || (stage === "applied late" && doubt)) this.#apply(record, place);
    else if (stage === "unknown" || stage === "contradicted")
      this.#doubts.set(record.id, { record, place, settledAt: this.#settledAt + timeoutMs, isDisproved: false });
    else if (stage === "rejected late") this.#doubts.delete(record.id);
  }

  /** Keeps of its records only those of one user, and what was stopped first. */
  keepOnlyThoseOf(user: string): void {
    if (this.applied?.user !== user) this.applied = this.first;
    for (const [id, { record }] of this.#doubts) if (record.user !== user) this.#doubts.delete(id);
  }

  /**
   * Compares what is known with the state that was read at a monotonic time; undefined stands for a target that the engine does not have.
   * Returns what is new.
   */
  compare(state: Fields | undefined, at: number): StopFinding | undefined {
    this.#lookAgain(at + PACE_MS);
    if (state && isShown(this.kind.shown, state)) {
      this.#missedAt = undefined;
      this.#linkIsNew = false;
      this.#disproveUndos(state, at);
      if (this.doubted && this.#provesDoubted(this.doubted, state)) return { stage: "state-shown", stop: this.doubted };
      return this.lost && this.applied ? { stage: "state-shown", stop: this.applied } : undefined;
    }
    // Whatever took it back, or may have, is why it is not shown.
    if (this.#mayBeTakenBack()) this.#linkIsNew = false;
    if (!this.applied || this.lost || this.#mayBeTakenBack()) return undefined;
    if (this.#missedAt !== undefined && at - this.#missedAt >= SECOND_LOOK_MS) {
      return { stage: "state-lost", stop: this.applied };
    }
    this.#missedAt ??= at;
    this.#lookAgain(this.#missedAt + SECOND_LOOK_MS);
    return undefined;
  }

  /** Notes that its state could not be read, at a monotonic time. */
  unread(at: number): void {
    this.#lookAt = at + this.#retryMs;
    this.#retryMs = Math.min(this.#retryMs * 2, PACE_MS);
  }

  /** Notes what a comparison has found, now or in former times. */
  found({ stage, id }: Pick<AuditRecord, "stage" | "id">): void {
    const doubt = this.#doubts.get(id);
    if (doubt && this.doubted === doubt.record && stage === "state-shown") this.#apply(doubt.record, doubt.place);
    else if (this.applied?.id === id) {
      this.lost = stage === "state-lost";
      this.isShownAgain = stage === "state-shown";
    }
  }

  #lookAgain(at: number): void {
    this.#lookAt = at;
    this.#retryMs = RETRY_MS;
  }

  /** Whether a state shows the doubted stop, and not one that was there before it. */
  #provesDoubted(doubted: AuditRecord, { reason }: Fields): boolean {
    const before = this.lost ? undefined : this.applied;
    if (reason === undefined) return before === undefined;
    return sameReason(doubted, reason) && !(before && sameReason(before, reason));
  }

  #apply(record: AuditRecord, place: number): void {
    this.#appliedPlace = place;
    const isStop = this.#isStop(record);
    const isRepeated = isStop && this.applied && !this.lost && !this.isShownAgain && !this.#mayBeTakenBack(place);
    if (!isRepeated) this.first = isStop ? record : undefined;
    this.applied = isStop ? record : undefined;
    for (const [id, doubt] of this.#doubts) if (doubt.place <= place) this.#doubts.delete(id);
    this.lost = false;
    this.isShownAgain = false;
  }

  #isStop({ operation }: AuditRecord): boolean {
    return operation === this.kind.stop;
  }

  /** Whether a command of unknown outcome, of those before a place, may have taken the stop back. */
  #mayBeTakenBack(before = Number.POSITIVE_INFINITY): boolean {
    return [...this.#doubts.values()].some(
      ({ record, place, isDisproved }) => !isDisproved && !this.#isStop(record) && place < before,
    );
  }

  /** A state that still shows the stop says that the commands which would have taken it back did not, once they are settled. */
  #disproveUndos({ reason }: Fields, at: number): void {
    const stops = [this.applied, this.doubted].filter((stop) => stop !== undefined);
    if (!stops.some((stop) => typeof reason !== "string" || sameReason(stop, reason))) return;
    for (const doubt of this.#doubts.values()) if (at >= doubt.settledAt) doubt.isDisproved = true;
  }
}

/** Whether the engine shows the reason of a stop; records have control characters escaped. */
export function sameReason(stop: AuditRecord, shown: unknown): boolean {
  return stop.reason === escapeControlCharacters(shown);
}
