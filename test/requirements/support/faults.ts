import type { OperationName } from "../../../src/core/operations/table.ts";
import { serveEngine } from "../../../src/engine/serve.ts";
import { OVERLOADED } from "../../../transports/json-rpc/replies.ts";
import type { Answer, World } from "../../support/world.ts";
import type { Endpoint } from "./endpoints.ts";
import { reached } from "./responses.ts";

/** Texts of the errors that stand between the API and its engine. */
export const MESSAGES = {
  failed: "The engine failed to handle the request; details are in the monitor log",
  unavailable: "The engine message bus is not available",
  timeout: "The engine did not respond within 10 seconds",
} as const;

/** Text of the refusal of a full bus. */
export function overloadedMessage({ transport }: World): string {
  return transport === "in-process" ? "The engine message bus is overloaded; nothing was sent" : OVERLOADED.message;
}

/** Text about a link that was lost. Over NATS the response may still come when it is back, so the deadline decides. */
export function lostMessage({ transport }: World): string {
  return transport === "nats" ? MESSAGES.timeout : "The link to the engine was lost before it replied";
}

/** A bus that holds one request and no second one. */
export const NARROW_BUS = { bus: { capacity: 1, stopReserve: 0 } } as const;

/** Calls operations at one time while the engine hangs for so long; answers in their order. */
export async function callHanging(world: World, calls: readonly Endpoint[], forMs: number): Promise<Answer[]> {
  const seen = world.gate.seen.length;
  world.gate.hold();
  const answers = calls.map(({ name, input }) => world.call(name, input));
  await reached(world, seen + calls.length);
  world.clock.advance(forMs);
  world.gate.release();
  const answered = await Promise.all(answers);
  await world.allAnswered();
  return answered;
}

/** Runs `during` while one read fills a bus that takes no second request; on a {@link NARROW_BUS}. */
export async function withFullBus(world: World, during: () => Promise<void>): Promise<void> {
  const seen = world.gate.seen.length;
  world.gate.hold();
  const filling = world.call("listServices");
  await reached(world, seen + 1);
  await during();
  world.gate.release();
  await filling;
}

/** Runs `during` while no engine is on the bus. */
export async function withoutEngine(world: World, during: () => Promise<void>): Promise<void> {
  world.bus.detach();
  await during();
  await serveEngine(world.engine, world.gate, world.clock);
}

/** Waits until an engine that is new has told its clock, which is read before a change: so that only the change is held, or refused. */
export async function clockIsKnown(world: World): Promise<void> {
  await world.until(async () => (await world.call("getTradingStatus")).status === 200, { stepMs: 0 });
}

/** Takes the engine away until a call that waits for it has its response. */
export function loseLink(world: World, calling: Promise<unknown>): Promise<void> {
  return withoutEngine(world, async () => {
    if (world.transport === "nats") world.clock.advance(10_000);
    await calling;
  });
}

/** Calls an operation whose link to the engine is lost between request and answer; the engine comes back after it. */
export async function callLosingLink(world: World, name: OperationName, input: Endpoint["input"]): Promise<Answer> {
  await clockIsKnown(world);
  const seen = world.gate.seen.length;
  world.gate.hold();
  const answering = world.call(name, input);
  await reached(world, seen + 1);
  await loseLink(world, answering);
  world.gate.release();
  return answering;
}

/** Runs `during` while the engine fails for this reason. */
export async function withFailingEngine(world: World, reason: string, during: () => Promise<void>): Promise<void> {
  world.gate.replyWith(() => ({ ok: false, refusal: "internal", message: reason }));
  await during();
  world.gate.replyWith(undefined);
}
