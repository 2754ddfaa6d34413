import type { Clock } from "../core/clock.ts";
import type { EngineReply, EngineRequest } from "../core/engine/transport.ts";
import { busRecord, operations } from "../core/operations/table.ts";
import { covers, LatestByTarget, PATH_FIELD, stepsInWords, targetSteps } from "../core/operations/target.ts";
import { isObject } from "../core/values/basics.ts";
import { ANY_PROJECTION_KEY, ProjectionSyntaxError } from "../core/values/projection.ts";

/** A clock that counts whole milliseconds may be behind by one. */
const TICK_MS = 1;

/** A command with the time of its arrival at the gateway, by the engine's clock. */
interface Arrived {
  readonly name: string;
  /** The stop that it takes back, if any. */
  readonly undoes: string | undefined;
  readonly steps: readonly string[];
  readonly at: number;
  /** How far `at` may be off. */
  readonly within: number;
}

/** A command is refused, or begins; call `carriedOut` when the engine has carried it out. */
export type Turn = { readonly refusal: EngineReply } | { readonly refusal?: undefined; carriedOut(): void };

const OF_NO_ORDER: Turn = { carriedOut: () => {} };

/**
 * Keeps effects in the order in which commands arrived at their gateways, however many there are and whatever was delayed on the way
 * (decision D-ENG 21; `docs/engine/bus.md`, "Order"). A change that arrived before a stop of the same or an enclosing target does
 * not begin after it. A stop is carried out however late it comes, unless what undoes it arrived later and has been carried out.
 */
export class ArrivalOrder {
  readonly #clock: Clock;
  readonly #stops = new LatestByTarget<Arrived>(({ at }) => at);
  readonly #undone = new LatestByTarget<Arrived>(({ at }) => at);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Decides on a command that is about to begin. */
  begin(request: EngineRequest): Turn {
    const command = this.#arrived(request);
    if (!command) return OF_NO_ORDER;
    const refusal = request.lane === "stop" ? this.#beginStop(command) : this.#beginChange(command, request);
    if (refusal) return { refusal };
    return command.undoes !== undefined ? { carriedOut: () => this.#undone.note(command) } : OF_NO_ORDER;
  }

  #beginStop(stop: Arrived): EngineReply | undefined {
    const undo = this.#undone.on(stop.steps);
    if (undo?.undoes === stop.name && undo.at - undo.within > stop.at + stop.within) {
      const message = `${inWords(undo)} arrived after this stop and was carried out before it; nothing was changed`;
      return { ok: false, refusal: "rejected", message };
    }
    this.#stops.note(stop);
    return undefined;
  }

  #beginChange(change: Arrived, { context }: EngineRequest): EngineReply | undefined {
    const latest = change.at + change.within;
    for (const stop of this.#stops.all) {
      if (stop.at <= latest || !covers(stop.steps, change.steps)) continue;
      const message = `A stop (${inWords(stop)}) arrived after this change and came first; nothing was changed`;
      return { ok: false, refusal: context.arrived === undefined ? "rejected" : "stop-came-first", message };
    }
    return undefined;
  }

  /** Undefined for a read, and for a path that is malformed, of which the engine says what is wrong. */
  #arrived({ lane, method, input, context, age }: EngineRequest): Arrived | undefined {
    if (lane === "read") return undefined;
    const now = this.#clock.now() + TICK_MS;
    const received = now - (age?.() ?? 0);
    // The process may have been paused between the two readings.
    const between = this.#clock.now() + TICK_MS - now;
    const { arrived = received, arrivedWithin = TICK_MS + between } = context;
    try {
      const fields = { [PATH_FIELD]: "", ...(isObject(input) ? input : {}) };
      const { target, undoes } = busRecord(operations, method);
      const steps = targetSteps(target, fields, ANY_PROJECTION_KEY);
      // What has come cannot arrive in the future, whatever the clocks say.
      return { name: method, undoes, steps, at: Math.min(arrived, now), within: arrivedWithin };
    } catch (error) {
      if (error instanceof ProjectionSyntaxError) return undefined;
      throw error;
    }
  }
}

function inWords({ name, steps }: Arrived): string {
  return `${name} of ${stepsInWords(steps)}`;
}
