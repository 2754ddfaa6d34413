import { type Clock, monotonicMs } from "../clock.ts";
import type { OperationName, Operations } from "../operations/table.ts";
import { stepsKey, targetSteps } from "../operations/target.ts";
import type { AuditRecord } from "../records/record.ts";
import { type Fields, isObject } from "../values/basics.ts";
import { BoundedMap } from "../values/bounded-map.ts";
import { type ProjectionKeys, ProjectionSyntaxError } from "../values/projection.ts";
import { HeldStops } from "./held-stops.ts";
import { type StopKind, Stoppable, stopKinds } from "./stoppable.ts";
import type { ActiveStop, LostStop, RecordedStop } from "./words.ts";

/** Things that are kept by their names only. */
const MAX_OTHERS = 200;

/** Something to note, for another one too. */
type Noted = (known: KnownStops) => void;

/** Stops that were sent through an API. */
export interface StopsView {
  /** Stops that the engine no longer shows, and that no command has dealt with. */
  readonly lost: readonly LostStop[];
  /** Stops that are applied, not taken back, and not lost. Of one that was lost and is shown again nobody knows by whom. */
  readonly inForce: readonly ActiveStop[];
  /** Stops of one operation, such as `haltTrading`, that are applied, not taken back, and not lost. */
  count(stop: OperationName): number;
}

/**
 * Knows what was stopped through this API: halts of nodes and of the whole system, disabled services, disabled FIX sessions. It is given
 * commands and their audit records; which command stops what, and what takes it back, is in the operation table.
 */
export class KnownStops implements StopsView {
  /** Called with the monotonic time at which the state of something is to be looked at. */
  onNextLook: (at: number) => void = () => {};
  readonly #operations: Operations;
  readonly #clock: Clock;
  readonly #keys: ProjectionKeys;
  readonly #timeoutMs: number;
  readonly #kindOf: ReadonlyMap<string, StopKind>;
  /** By kind and target, the latest named last; nothing that is held makes room for anything that is not. */
  #held = new HeldStops();
  #others = new BoundedMap<string, Stoppable>(MAX_OTHERS);
  /** Notes since {@link recall} began; undefined at other times. */
  #meanwhile: Noted[] | undefined;

  /** `timeoutMs` is that of commands: the engine carries none out later. */
  constructor(operations: Operations, keys: ProjectionKeys, clock: Clock, timeoutMs: number) {
    this.#operations = operations;
    this.#clock = clock;
    this.#keys = keys;
    this.#timeoutMs = timeoutMs;
    this.#kindOf = new Map(stopKinds(operations).flatMap((kind) => [kind.stop, kind.undo].map((name) => [name, kind])));
  }

  /** All that is known, what is not held first, each part with the latest named last. */
  get all(): readonly Stoppable[] {
    return [...this.#others.values(), ...this.#held.all];
  }

  /** Stops that made room for later ones: they may be active at the engine, and are no longer known. */
  get forgotten(): number {
    return this.#held.forgotten;
  }

  find(stop: OperationName, target: Fields): Stoppable | undefined {
    const kind = this.#kindOf.get(stop);
    const key = kind && this.#keyOf(kind, target);
    return key === undefined ? undefined : (this.#held.get(key) ?? this.#others.get(key));
  }

  get lost(): LostStop[] {
    return this.#held.all.flatMap((stoppable) => (stoppable.lost ? stopOf(stoppable, stoppable.applied) : []));
  }

  get inForce(): ActiveStop[] {
    const active = this.#held.all.filter(({ lost }) => !lost);
    return active.flatMap((stoppable) => {
      const stops = stopOf(stoppable, stoppable.first);
      return stops.map((stop) =>
        stoppable.isShownAgain ? { ...stop, by: null, reason: null } : { ...stop, ...repetitionOf(stoppable) },
      );
    });
  }

  count(stop: OperationName): number {
    return this.inForce.filter(({ operation }) => operation === stop).length;
  }

  /** Stops that have not been compared with the engine since its link came up. */
  get uncompared(): number {
    return this.#held.all.filter(({ isUncompared }) => isUncompared).length;
  }

  linkCameUp(): void {
    for (const stoppable of this.#held.all) stoppable.linkCameUp();
  }

  /** Notes that a command is about to be sent. */
  begins(name: OperationName, id: string, input: unknown): void {
    const { key, stoppable } = this.#named(name, input) ?? {};
    if (!key || !stoppable) return;
    const { target } = stoppable;
    this.#meanwhile?.push((known) => known.begins(name, id, target));
    stoppable.begins(id);
    this.#place(key, stoppable);
  }

  /** Notes an audit record; `input` is that of its command where it is at hand, since a record may have it escaped or cut. */
  note(record: AuditRecord, input: unknown = this.#recordedInput(record)): void {
    const { operation, stage, id } = record;
    if (operation === null) return;
    if (stage === "intent") {
      this.begins(operation, id, input);
      return;
    }
    const { key, stoppable } = this.#named(operation, input) ?? {};
    if (!key || !stoppable) return;
    const { target } = stoppable;
    const kept = withoutContent(record);
    this.#meanwhile?.push((known) => known.note(kept, target));
    if (kept.event) stoppable.found(kept);
    else stoppable.ended(kept, monotonicMs(this.#clock), this.#timeoutMs);
    this.#place(key, stoppable);
    if (stoppable.nextLook !== undefined) this.onNextLook(stoppable.nextLook);
  }

  /** Takes over what earlier records say, in their order; what is noted while they are read is later. */
  async recall(records: AsyncIterable<AuditRecord>): Promise<void> {
    const past = new KnownStops(this.#operations, this.#keys, this.#clock, this.#timeoutMs);
    const meanwhile: Noted[] = [];
    this.#meanwhile = meanwhile;
    try {
      for await (const record of records) past.note(record);
    } finally {
      this.#meanwhile = undefined;
      for (const noted of meanwhile) noted(past);
      [this.#held, this.#others] = [past.#held, past.#others];
    }
  }

  /** The input that a record has; undefined where the target in it may not be as it was named. */
  #recordedInput({ operation, parameters }: AuditRecord): unknown {
    const kind = operation === null ? undefined : this.#kindOf.get(operation);
    const target = kind && targetOf(kind, parameters);
    return target && Object.values(target).some((name) => ESCAPE.test(String(name))) ? undefined : parameters;
  }

  #named(name: OperationName, input: unknown): { readonly key: string; readonly stoppable: Stoppable } | undefined {
    const kind = this.#kindOf.get(name);
    const target = kind && targetOf(kind, input);
    if (!target) return undefined;
    const key = this.#keyOf(kind, target);
    if (key === undefined) return undefined;
    const stoppable = this.find(kind.stop, target) ?? new Stoppable(kind, target);
    stoppable.target = target;
    return { key, stoppable };
  }

  /** Undefined for a path with keys that are no longer configured. */
  #keyOf(kind: StopKind, target: Fields): string | undefined {
    try {
      return `${kind.stop} ${stepsKey(targetSteps(kind.target, target, this.#keys))}`;
    } catch (error) {
      if (error instanceof ProjectionSyntaxError) return undefined;
      throw error;
    }
  }

  #place(key: string, stoppable: Stoppable): void {
    this.#held.delete(key);
    this.#others.delete(key);
    if (stoppable.isHeld) this.#held.set(key, stoppable);
    else this.#others.setNewest(key, stoppable);
  }
}

/** An escape of records, which stands for a character that a name may have had, or for itself. */
const ESCAPE = /\\u[0-9a-f]{4}/;

/** The fields that name what a command acts on; undefined where they are missing, or were cut. */
function targetOf({ target }: StopKind, input: unknown): Stoppable["target"] | undefined {
  if (!isObject(input)) return undefined;
  const fields = target.map((field): [string, unknown] => [field, input[field]]);
  const texts = fields.filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return texts.length === fields.length ? Object.fromEntries(texts) : undefined;
}

/**
 * A stop of something by its record, if there is one. Its target is as it was named: a record has some characters escaped, and whoever stops
 * that again would stop another one.
 */
function stopOf({ target }: Stoppable, record: AuditRecord | undefined): LostStop[] {
  return record ? [{ ...recordedStop(record), target: Object.values(target).join("/"), targetFields: target }] : [];
}

/** Who repeated the active stop of something last, if anybody did. */
export function repetitionOf({ first, applied }: Pick<Stoppable, "first" | "applied">): Pick<ActiveStop, "repeated"> {
  if (!applied || applied === first) return {};
  return { repeated: { at: Date.parse(applied.time), by: applied.user, reason: applied.reason } };
}

/** A stop as it is reported to whoever deals with its loss. */
export function recordedStop({ operation, target, reason, time, user }: AuditRecord): RecordedStop {
  return { operation: operation ?? "", target: target ?? "", reason, since: Date.parse(time), by: user };
}

/** A record as it is kept, thousands of times: who stopped what and why, without what its command carried. */
function withoutContent({ before: _before, after: _after, annotations: _host, ...record }: AuditRecord): AuditRecord {
  return { ...record, parameters: {} };
}
