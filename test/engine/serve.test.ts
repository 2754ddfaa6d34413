import { describe, expect, it, test } from "vitest";
import { AdminApi } from "../../src/core/admin-api.ts";
import { systemClock } from "../../src/core/clock.ts";
import type { EngineReply } from "../../src/core/engine/transport.ts";
import { keptLog } from "../../src/core/logger.ts";
import { type OperationName, operations } from "../../src/core/operations/table.ts";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import { type EngineHandler, serveEngine } from "../../src/engine/serve.ts";
import { loadInstallation } from "../../src/engine/simulated/installation.ts";
import { SimulatedEngine } from "../../src/engine/simulated/simulated-engine.ts";
import { sampleInstallation } from "../../src/files/package-files.ts";
import { MemoryAudit } from "../../src/testing/rig.ts";
import { InProcessBus } from "../../transports/in-process.ts";

const SILENT = { info: () => {}, warn: () => {}, error: () => {} };

it("what an engine in the same process throws is the cause in the log, with the line that threw it", async () => {
  const bus = new InProcessBus();
  const mistake = new TypeError("Cannot read properties of undefined (reading 'orders')");
  const haltTrading = (): never => {
    throw mistake;
  };
  await serveEngine({ haltTrading }, bus);
  const api = new AdminApi({ transport: bus, audit: new MemoryAudit(), log: SILENT });
  await api.start();
  const halt = api.as(principal("chief", PERMISSIONS)).haltTrading({});
  await expect(halt).rejects.toMatchObject({ code: "ENGINE_FAILED", outcome: "unknown", cause: mistake });
  await api.close();
});

async function askChecked(): Promise<(method: OperationName, input: unknown) => EngineReply | Promise<EngineReply>> {
  const handlers: EngineHandler[] = [];
  const engine = new SimulatedEngine(await loadInstallation(sampleInstallation()));
  await serveEngine(engine, { listen: (handler) => void handlers.push(handler) }, systemClock, operations);
  const context = { user: "alice", requestId: "r-1", deadline: Number.MAX_SAFE_INTEGER };
  return (method, input) => {
    const [handler] = handlers;
    if (!handler) throw new Error("the engine did not listen");
    return handler({ method, input, lane: "stop", context });
  };
}

describe("D-PKG 17: serveEngine refuses an engine that would refuse what it is for", () => {
  const bus = { listen: () => {} };

  class Misspelt {
    haltTradin(): void {}
    resumeTrading(): void {}
  }

  class Derived extends Misspelt {
    getTradingStatus(): void {}
  }

  test.each([
    ["has no operation", {}, /`engine`.* methods such as haltTrading/],
    ["has methods that are no operations", { start() {}, halt() {} }, /`engine`.* methods such as haltTrading/],
    ["has a misspelt one", new Misspelt(), /`haltTradin`; the operation is `haltTrading`/],
    ["inherits a misspelt one", new Derived(), /`haltTradin`; the operation is `haltTrading`/],
    ["has one in other letters", { halttrading() {}, listServices() {} }, /`halttrading`; the operation is/],
  ])("%s", async (_, engine, words) => {
    await expect(serveEngine(engine as never, bus)).rejects.toThrow(words);
  });

  it("but not one that hides an operation of a whole engine", async () => {
    const engine = Object.assign(new SimulatedEngine(await loadInstallation(sampleInstallation())), {
      getTradingStatus: undefined,
    });
    await expect(serveEngine(engine as never, bus)).resolves.toBeUndefined();
  });

  it("but not one with helpers of its own beside an operation", async () => {
    const engine = { haltTrading() {}, haltTradings() {}, reset() {} };
    await expect(serveEngine(engine as never, bus)).resolves.toBeUndefined();
  });
});

it("a method without a result has done what it was asked to do, over any bus", async () => {
  const bus = new InProcessBus();
  await serveEngine({ haltTrading: (() => {}) as never, getTradingStatus: (() => {}) as never }, bus);
  const audit = new MemoryAudit();
  const api = new AdminApi({ transport: bus, audit, stopCheck: false, log: keptLog().log });
  await api.start();
  const chief = api.as(principal("chief", PERMISSIONS));
  await chief.haltTrading({ reason: "drill" });
  expect(audit.stages).toEqual(["intent", "applied"]);
  await expect(chief.getTradingStatus()).rejects.toMatchObject({ code: "ENGINE_FAILED" });
  await api.close();
});

const HOUR = 3_600_000;

describe("D-ENG 1, D-ENG 13: serveEngine drops what comes too late", () => {
  const IN_TIME = { deadline: HOUR, timeLeft: 10, age: 9 };

  test.each([
    ["in time", IN_TIME, ["stop", "change", "read"]],
    ["at its deadline, an old gateway", { deadline: 0, age: 0 }, []],
    ["before its deadline, an old gateway", { deadline: 1, age: HOUR }, ["stop", "change", "read"]],
    ["after waiting for the time left", { ...IN_TIME, age: 10 }, []],
    ["after its deadline by the engine's clock", { ...IN_TIME, deadline: -HOUR }, ["stop", "read"]],
    ["from a bus that does not say when it arrived", { deadline: 0, timeLeft: HOUR }, []],
  ] as const)("such as %s", async (_when, time, begun) => {
    const { deadline, timeLeft, age } = { timeLeft: undefined, age: undefined, ...time };
    const handlers: EngineHandler[] = [];
    const engine = new SimulatedEngine(await loadInstallation(sampleInstallation()));
    const clock = { ...systemClock, now: () => 0, monotonic: () => 0 };
    await serveEngine(engine, { listen: (handler) => void handlers.push(handler) }, clock);
    const context = { user: "alice", requestId: "r-1", deadline, timeLeft };
    const lanes = ["stop", "change", "read"] as const;
    const replies = await Promise.all(
      lanes.map((lane) => {
        const request = { method: "listServices", input: {}, lane, context } as const;
        return handlers[0]?.({ ...request, ...(age !== undefined && { age: () => age }) });
      }),
    );
    expect(lanes.filter((_lane, index) => replies[index]?.ok)).toEqual(begun);
  });
});

describe("D-LINK 7: serveEngine with an operation table checks inputs", () => {
  it.each([
    ["haltTrading", { projectionPath: 7, reason: "r", cancelOrders: false }, "projectionPath"],
    ["haltTrading", { projectionPath: "", reason: "r", cancelOrder: true }, "cancelOrder: unknown field"],
    ["haltTrading", null, "must be a JSON object"],
    ["adjustPosition", { projectionPath: "Account[GOLD]/Symbol[AAPL]", size: 1e3 }, "size"],
    ["getService", {}, "name: is required"],
  ] as const)("and rejects %s %j, so that nothing is changed", async (method, input, reason) => {
    const ask = await askChecked();
    const message = expect.stringContaining(reason);
    expect(await ask(method, input)).toEqual({ ok: false, refusal: "rejected", message });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await ask("getTradingStatus", {})).toMatchObject({ ok: true, result: { halted: false } });
  });

  it("and carries out what is in order, with defaults filled in", async () => {
    const ask = await askChecked();
    expect(await ask("haltTrading", {})).toEqual({ ok: true, result: null });
    await expect.poll(() => ask("getTradingStatus", {})).toMatchObject({ result: { halted: true } });
  });
});
