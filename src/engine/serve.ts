import { distance } from "fastest-levenshtein";
import { type Clock, steadyClock, systemClock } from "../core/clock.ts";
import type { EngineReply, EngineRequest } from "../core/engine/transport.ts";
import { AdminError } from "../core/errors.ts";
import { busMethods, busRecord, type Operations } from "../core/operations/table.ts";
import { objectWith, requireArgument } from "../core/options.ts";
import { parseInput } from "../core/validation/validation.ts";
import { isObject, isThenable, messageOf } from "../core/values/basics.ts";
import { ArrivalOrder } from "./arrival-order.ts";
import { type Engine, EngineRejection } from "./engine.ts";

/**
 * Replies to one request. Called in the order of arrival; it begins the work before it returns. Never rejects: an engine's failure is a
 * reply too.
 */
export type EngineHandler = (request: EngineRequest) => Promise<EngineReply>;

/** The engine's end of a bus. */
export interface EngineBus {
  /** Hands every request that arrives from now on to the handler, in the order of arrival. */
  listen(handler: EngineHandler): void | Promise<void>;
}

/** Letters in which a name differs that is meant to be that of an operation. */
const MISSPELT = 2;

type Method = (input: unknown, context: EngineRequest["context"]) => unknown;

/**
 * Puts an engine on a bus. Requests whose deadline has passed are dropped with a `rejected` reply, so that a
 * late reply is true: nothing was changed. `docs/engine/bus.md`, "Deadline", says when that is.
 *
 * An operation that the engine lacks is refused as `unsupported`, and the result of one that returns undefined is null. Throws `TypeError` for an engine without any, or with one whose name is
 * misspelt: a halt would be refused when it is needed.
 *
 * With `table`, inputs are checked against it before the engine sees them, and refused as `rejected`: for a bus on which others
 * than an `AdminApi` may write, since a path of the wrong type must not halt the whole system. An `AdminApi` has checked already.
 *
 * @example
 * const bus = await openWebSocketBus({ host: "0.0.0.0", port: 8989, token });
 * await serveEngine(engine, bus, systemClock, operations);
 */
export async function serveEngine(
  engine: Partial<Engine>,
  bus: EngineBus,
  clock: Clock = systemClock,
  table?: Operations,
): Promise<void> {
  requireArgument("serveEngine", "engine", engine, {
    like: "new SimulatedEngine(installation), or an object with methods such as haltTrading",
    fits: (value) => isObject(value) && busMethods.some((name) => typeof value[name] === "function"),
  });
  refuseMisspelt(engine);
  requireArgument(
    "serveEngine",
    "bus",
    bus,
    objectWith("listen", "new InProcessBus() or await openWebSocketBus({ host, port })"),
  );
  const steady = steadyClock(clock);
  const order = new ArrivalOrder(steady);
  await bus.listen(async (request) => {
    if (isLate(request, steady)) {
      return { ok: false, refusal: "rejected", message: "Dropped: the deadline had passed before the engine began" };
    }
    try {
      const method = engine[request.method] as Method | undefined;
      if (typeof method !== "function") return unsupported(request);
      const input = table ? checkedInput(table, request) : request.input;
      const turn = order.begin(request);
      if (turn.refusal) return turn.refusal;
      const output = method.call(engine, input, request.context);
      // What a synchronous method has done counts for the next request of the same chunk.
      const result = isThenable(output) ? await output : output;
      turn.carriedOut();
      // As over a wire: JSON has no undefined, and a method without `return` has done what it was asked to do.
      return { ok: true, result: result ?? null };
    } catch (error) {
      return refused(error);
    }
  });
}

function refuseMisspelt(engine: Partial<Engine>): void {
  const operations: ReadonlySet<string> = new Set(busMethods);
  const missing = busMethods.filter((name) => typeof engine[name] !== "function");
  for (const method of methodNames(engine)) {
    // One that is hidden, as by undefined in a class derived from a whole engine, is left out on purpose.
    if (operations.has(method)) continue;
    const meant = missing.find((name) => distance(name.toLowerCase(), method.toLowerCase()) <= MISSPELT);
    if (meant) throw new TypeError(`serveEngine's engine has a method \`${method}\`; the operation is \`${meant}\``);
  }
}

/** Names of an object's methods, those of its classes included. */
function methodNames(object: object): string[] {
  const parent = Object.getPrototypeOf(object) as object | null;
  const own = Object.entries(Object.getOwnPropertyDescriptors(object)).flatMap(([name, { value }]) =>
    typeof value === "function" ? [name] : [],
  );
  return parent && parent !== Object.prototype ? [...own, ...methodNames(parent)] : own;
}

/**
 * The time that was left at the sending decides, so that stops get through whatever the clocks say. A change goes by its deadline
 * too: one that lay in a buffer while the engine was frozen must not come to life later. A stop whose arrival is known is never late:
 * the order of arrivals decides.
 */
function isLate({ lane, context: { deadline, timeLeft, arrived }, age }: EngineRequest, clock: Clock): boolean {
  if (lane === "stop" && arrived !== undefined) return false;
  const isPastDeadline = clock.now() >= deadline;
  if (timeLeft === undefined || !age) return isPastDeadline;
  return age() >= timeLeft || (lane === "change" && isPastDeadline);
}

function unsupported({ method }: EngineRequest): EngineReply {
  return { ok: false, refusal: "unsupported", message: `The engine has no method "${method}"` };
}

function checkedInput(table: Operations, { method, input }: EngineRequest): unknown {
  try {
    return parseInput(busRecord(table, method), input, "reject");
  } catch (error) {
    throw error instanceof AdminError ? new EngineRejection("rejected", error.message) : error;
  }
}

function refused(error: unknown): EngineReply {
  if (error instanceof EngineRejection) return { ok: false, refusal: error.refusal, message: error.message };
  return internalFailure(error);
}

/** The reply of an engine that fails: it is unknown whether anything was changed. */
export function internalFailure(error: unknown): EngineReply {
  return { ok: false, refusal: "internal", message: messageOf(error), cause: error };
}
