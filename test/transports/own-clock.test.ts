import { describe, expect, it } from "vitest";
import type { EngineRequest } from "../../src/core/engine/transport.ts";
import { type OperationName, operationRecord, operations } from "../../src/core/operations/table.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { type EngineHandler, serveEngine } from "../../src/engine/serve.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { OwnClock } from "../../transports/json-rpc/own-clock.ts";

const NODE = { projectionPath: "Account[GOLD]" };

/** An engine that carries out whatever it is asked, with a clock that has a name. */
async function started() {
  const clock = new ManualClock();
  const own = new OwnClock(clock, "second");
  const done: string[] = [];
  const methods = Object.keys(operations).map((name) => [name, () => void done.push(name)]);
  const handlers: EngineHandler[] = [];
  await serveEngine(Object.fromEntries(methods) as Engine, { listen: (handler) => void handlers.push(handler) }, clock);
  const send = async (method: OperationName, times: Partial<EngineRequest["context"]>): Promise<string> => {
    const { lane } = operationRecord(operations, method);
    const context = { user: "chief", requestId: "r", deadline: clock.now() + 10_000, timeLeft: 10_000, ...times };
    const reply = await own.hand({ method, input: NODE, lane, context }, handlers[0] as EngineHandler);
    return reply.ok ? "carried out" : `${reply.refusal}: ${reply.message}`;
  };
  return { clock, own, done, send };
}

describe("D-ENG 27: times by the clock of an engine that has ended", () => {
  it("do not make history of a halt: it is carried out, and counts from its receipt", async () => {
    const { clock, done, send } = await started();
    expect(await send("resumeTrading", { arrived: clock.now(), arrivedWithin: 0, clock: "second" })).toBe(
      "carried out",
    );
    const old = { arrived: clock.now() - 60_000, arrivedWithin: 0 };
    expect(await send("haltTrading", { ...old, clock: "second" })).toMatch(/^rejected: .* arrived after this stop/);
    expect(await send("haltTrading", { ...old, clock: "first" })).toBe("carried out");
    await clock.advance(10);
    expect(await send("resumeTrading", { arrived: clock.now() - 9, arrivedWithin: 0, clock: "second" })).toBe(
      "carried out",
    );
    expect(done).toEqual(["resumeTrading", "haltTrading", "resumeTrading"]);
  });

  it.each([
    ["a deadline that has passed", -30_000],
    ["a deadline to come", 30_000],
  ])("let no change pass, which is not sent then, with %s", async (_, deadlineIn) => {
    const { clock, done, send } = await started();
    const times = { deadline: clock.now() + deadlineIn, arrived: clock.now() + deadlineIn, clock: "first" };
    expect(await send("resumeTrading", times)).toBe(
      "unavailable: The engine has started again since this change was sent to it; nothing was changed",
    );
    expect(done).toEqual([]);
  });

  it("keep no read from being answered, nor a stop without arrival from being carried out", async () => {
    const { clock, send } = await started();
    const times = { deadline: clock.now() - 30_000, clock: "first" };
    expect(await send("getTradingStatus", times)).toBe("carried out");
    expect(await send("haltTrading", times)).toBe("carried out");
  });

  it("are taken where no clock is named, as from gateways and engines that do not name it", async () => {
    const { clock, send } = await started();
    expect(await send("resumeTrading", { arrived: clock.now() })).toBe("carried out");
    expect(await send("resumeTrading", { deadline: clock.now() - 1 })).toMatch(/^rejected: Dropped/);
  });

  it("cannot be mistaken, as replies name the clock that they tell the time by", async () => {
    const { clock, own } = await started();
    const context = { user: "chief", requestId: "r", deadline: 0 };
    const request = { method: "haltTrading", input: NODE, lane: "stop", context } as const;
    expect(own.told({ ...request, context: { ...context, timeLeft: 1 } })).toEqual({
      now: clock.now(),
      clock: "second",
    });
    expect(own.told(request)).toBeUndefined();
  });
});
