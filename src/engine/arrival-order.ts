import type { Clock } from "../core/clock.ts";
import type { EngineReply, EngineRequest } from "../core/engine/transport.ts";
import { operationRecord, operations } from "../core/operations/table.ts";
import { covers, PATH_FIELD, stepsKey, targetSteps } from "../core/operations/target.ts";
import { isObject } from "../core/values/basics.ts";
import { ANY_PROJECTION_KEY, ProjectionSyntaxError } from "../core/values/projection.ts";

/** Targets that are remembered, of stops and of what undid them. */
const MAX_TARGETS = 1_000;

/** A clock that counts whole milliseconds may be behind by one. */
const TICK_MS = 1;

/** A command with the time of its arrival at the gateway, by the engine's clock. */
interface Arrived {
  readonly name: string;
  readonly steps: readonly string[];
  readonly at: number;
  /** How far `at` may be off. */
  readonly within: number;
}

/**
 * Keeps effects in the order in which commands arrived at their gateways, however many there are and whatever stood still on the way
 * (decision D-ENG 21; `docs/engine/bus.md`, "Order"). A change that arrived before a stop of the same or an enclosing target does
 * not begin after it. A stop is carried out however late it comes, unless what undoes it arrived later and has been carried out.
 */
export class ArrivalOrder {
  readonly #clock: Clock;
  readonly #stops = new LatestByTarget();
  readonly #undone = new LatestByTarget();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes a command that is about to begin; the refusal of one that must not. */
  begin(request: EngineRequest): EngineReply | undefined {
    const command = this.#arrived(request);
    if (!command) return undefined;
    return request.lane === "stop" ? this.#beginStop(command) : this.#beginChange(command, request);
  }

  /** Notes that a command has been carried out. */
  carriedOut(request: EngineRequest): void {
    const { undoes } = operationRecord(operations, request.method);
    const command = undoes === undefined ? undefined : this.#arrived(request);
    if (command) this.#undone.note(command);
  }

  #beginStop(stop: Arrived): EngineReply | undefined {
    const undo = this.#undone.of(stop);
    if (undo && undo.at - undo.within > stop.at + stop.within) {
      const message = `${inWords(undo)} arrived after this stop and was carried out before it; nothing was changed`;
      return { ok: false, refusal: "rejected", message };
    }
    this.#stops.note(stop);
    return undefined;
  }

  #beginChange(change: Arrived, { context }: EngineRequest): EngineReply | undefined {
    const stop = this.#stops.find((known) => known.at > change.at + change.within && covers(known.steps, change.steps));
    if (!stop) return undefined;
    const message = `A stop (${inWords(stop)}) arrived after this change and came first; nothing was changed`;
    return { ok: false, refusal: context.arrived === undefined ? "rejected" : "stop-came-first", message };
  }

  /** Undefined for a read, and for a path that is malformed, of which the engine says what is wrong. */
  #arrived({ lane, method, input, context, age }: EngineRequest): Arrived | undefined {
    if (lane === "read") return undefined;
    const now = this.#clock.now() + TICK_MS;
    const { arrived = now - (age?.() ?? 0), arrivedWithin = TICK_MS } = context;
    try {
      const fields = { [PATH_FIELD]: "", ...(isObject(input) ? input : {}) };
      const steps = targetSteps(operationRecord(operations, method).target, fields, ANY_PROJECTION_KEY);
      // What has come cannot arrive in the future, whatever the clocks say.
      return { name: method, steps, at: Math.min(arrived, now), within: arrivedWithin };
    } catch (error) {
      if (error instanceof ProjectionSyntaxError) return undefined;
      throw error;
    }
  }
}

/** The command of each target that arrived last. */
class LatestByTarget {
  readonly #latest = new Map<string, Arrived>();
  /** Stands for those that are no longer kept: a command that acts on everything. */
  #forgotten: Arrived | undefined;

  note(command: Arrived): void {
    const key = stepsKey(command.steps);
    const latest = later(this.#latest.get(key), command);
    this.#latest.delete(key);
    this.#latest.set(key, latest);
    const [oldest] = this.#latest;
    if (!oldest || this.#latest.size <= MAX_TARGETS) return;
    this.#latest.delete(oldest[0]);
    this.#forgotten = { ...later(this.#forgotten, oldest[1]), steps: [] };
  }

  of({ steps }: Arrived): Arrived | undefined {
    return this.#latest.get(stepsKey(steps));
  }

  find(matches: (command: Arrived) => boolean): Arrived | undefined {
    if (this.#forgotten && matches(this.#forgotten)) return this.#forgotten;
    for (const command of this.#latest.values()) if (matches(command)) return command;
    return undefined;
  }
}

function later(one: Arrived | undefined, other: Arrived): Arrived {
  return one && one.at > other.at ? one : other;
}

function inWords({ name, steps }: Arrived): string {
  return `${name} of ${steps.length === 0 ? "everything" : steps.join("/")}`;
}
