import { afterEach, describe, expect, it } from "vitest";
import type { EngineReply, EngineRequest } from "../../src/core/engine/transport.ts";
import type { BusOutput } from "../../src/core/operations/table.ts";
import { startTestRig, type TestRig } from "../../src/testing/rig.ts";

const NODE = "Account[GOLD]";
const AT = 1_767_605_400_000;

let rig: TestRig;

afterEach(() => rig?.close());

/** A gateway whose engine has these optional reads, in place of those of the simulated engine. */
async function start(optional: Readonly<Record<string, unknown>>): Promise<void> {
  rig = await startTestRig();
  for (const [name, method] of Object.entries(optional)) Reflect.set(rig.engine, name, method);
}

function asked(method: EngineRequest["method"]): number {
  return rig.gate.seen.filter((request) => request.method === method).length;
}

async function read(path: string) {
  const { status, headers, json } = await rig.inject({ url: `/api/admin/v1${path}`, as: "viewer" });
  return { status, warning: headers["x-admin-warning"], body: json<Record<string, unknown>>() };
}

describe("D-ENG 29: halts are those that the engine lists", () => {
  it("wherever they were given, since when the engine says, and by whom as far as the gateway knows", async () => {
    await start({});
    await rig.as("alice").haltTrading({ projectionPath: "Symbol[X]/Account[B]", reason: "mine" });
    rig.engine.haltTrading({ projectionPath: NODE, reason: "theirs", cancelOrders: false });
    rig.engine.haltTrading({ projectionPath: "", reason: "all", cancelOrders: false });
    rig.clock.advance(1_000);
    const since = expect.any(Number);
    expect((await read("/trading/halts")).body).toEqual({
      complete: true,
      halts: [
        { projectionPath: "", reason: "all", since, by: null },
        { projectionPath: NODE, reason: "theirs", since, by: null },
        { projectionPath: "Symbol[X]/Account[B]", reason: "mine", since, by: "alice" },
      ],
    });
    expect([asked("listHalts"), asked("getTradingStatus")]).toEqual([1, 0]);
  });

  it.each<[string, readonly string[]]>([
    ["with the reason that the engine shows, which is that of the second", ["first", "second"]],
    ["whose reason is the same", ["same", "same"]],
  ])("a halt that is repeated is one since the first, and says who repeated it: %s", async (_, [first, second]) => {
    await start({});
    const begun = rig.clock.now();
    await rig.as("alice").haltTrading({ projectionPath: NODE, reason: first });
    rig.clock.advance(60_000);
    const repeatedAt = rig.clock.now();
    await rig.as("desk").haltTrading({ projectionPath: NODE, reason: second });
    rig.clock.advance(1_000);
    const { halts } = await rig.as("viewer").listHalts();
    const repeated = { at: repeatedAt, by: "desk", reason: second };
    expect(halts).toEqual([{ projectionPath: NODE, reason: second, since: expect.any(Number), by: "alice", repeated }]);
    expect(Number(halts[0]?.since) - begun).toBeLessThan(1_000);
  });

  it.each([
    [{}, "Trading halted"],
    [{ reason: "" }, ""],
  ])("a halt that is repeated without a reason keeps that of the first: %j", async (given, reason) => {
    await start({});
    await rig.as("alice").haltTrading({ projectionPath: NODE, reason: "limit breach" });
    rig.clock.advance(60_000);
    await rig.as("desk").haltTrading({ projectionPath: NODE, ...given });
    rig.clock.advance(1_000);
    const repeated = { by: "desk", reason };
    expect((await rig.as("viewer").listHalts()).halts).toMatchObject([
      { reason: "limit breach", by: "alice", repeated },
    ]);
  });

  it("a halt that is repeated as soon as the engine has it is one since the first", async () => {
    await start({});
    await rig.as("alice").haltTrading({ projectionPath: NODE, reason: "same" });
    // It takes effect 5 ms later: nearer to the second command than to the first.
    rig.clock.advance(6);
    await rig.as("desk").haltTrading({ projectionPath: NODE, reason: "same" });
    expect((await rig.as("viewer").listHalts()).halts).toMatchObject([{ by: "alice", repeated: { by: "desk" } }]);
  });

  it("a repeated halt at an engine that keeps the first reason, or says since when by its own clock", async () => {
    const halt = { projectionPath: NODE, reason: "first", since: null as number | null };
    await start({ listHalts: () => [halt] });
    const begun = rig.clock.now();
    await rig.as("alice").haltTrading({ projectionPath: NODE, reason: "first" });
    rig.clock.advance(60_000);
    const at = rig.clock.now();
    await rig.as("desk").haltTrading({ projectionPath: NODE, reason: "second" });
    const repeated = { at, by: "desk", reason: "second" };
    const list = async (): Promise<unknown> => (await rig.as("viewer").listHalts()).halts;
    expect(await list()).toEqual([{ ...halt, since: begun, by: "alice", repeated }]);
    halt.since = begun + 3;
    expect(await list()).toEqual([{ ...halt, by: "alice", repeated }]);
    // It was resumed elsewhere in between, and is halted since the second only.
    Object.assign(halt, { reason: "second", since: at + 3 });
    expect(await list()).toEqual([{ ...halt, by: "desk" }]);
  });

  it("a halt that was recorded by its segments in another order is the same one", async () => {
    const halt = { projectionPath: "Account[B]/Symbol[X]", reason: "mine", since: null };
    await start({ listHalts: () => [halt] });
    await rig.as("alice").haltTrading({ projectionPath: "Symbol[X]/Account[B]", reason: "mine" });
    const { halts } = await rig.as("viewer").listHalts();
    expect(halts).toEqual([{ ...halt, since: expect.any(Number), by: "alice" }]);
  });

  it("a row that breaks the contract is left out and named, and the list is not complete without it", async () => {
    const good = { projectionPath: NODE, reason: null, since: AT };
    await start({
      listHalts: () => [good, { reason: "no path", since: AT }, { ...good, projectionPath: "", since: "now" }],
    });
    const { status, warning, body } = await read("/trading/halts");
    expect([status, body.complete]).toEqual([200, false]);
    expect(body.halts).toEqual([
      { projectionPath: "", reason: null, since: null, by: null },
      { ...good, by: null },
    ]);
    expect(warning).toContain("projectionPath (row left out)");
  });

  it("an engine that fails to list is read path by path, with a warning; one that does not answer is an error", async () => {
    await start({
      listHalts: () => {
        throw new Error("broken");
      },
    });
    await rig.as("alice").haltTrading({ projectionPath: NODE, reason: "mine" });
    rig.clock.advance(1_000);
    const { warning, body } = await read("/trading/halts");
    expect(body).toMatchObject({ complete: false, halts: [{ projectionPath: NODE, by: "alice" }] });
    expect(warning).toMatch(/^The engine failed to list its halts/);
    rig.gate.replyWith(() => ({ ok: false, refusal: "unavailable", message: "starting" }));
    expect((await read("/trading/halts")).status).toBe(503);
  });

  it("ten thousand of them are looked up in steps, with a read that is answered in between", async () => {
    const halts = Array.from({ length: 10_000 }, (_, n) => ({
      projectionPath: `Account[A${n}]`,
      reason: "x",
      since: AT,
    }));
    await start({ listHalts: (): BusOutput<"listHalts"> => halts });
    const order: string[] = [];
    const list = rig
      .as("viewer")
      .listHalts()
      .then((listed) => {
        order.push("list");
        return listed;
      });
    await rig.as("other").getTradingStatus();
    order.push("status");
    const listed = await list;
    expect([listed.complete, listed.halts.length]).toEqual([true, 10_000]);
    expect(order).toEqual(["status", "list"]);
  });
});

describe("D-ENG 28: what an engine may have or not", () => {
  const without = { listHalts: undefined, describeEngine: undefined };

  it("an engine of 1.1 continues as before: the list says that it may lack halts, and the engine is not asked each time", async () => {
    await start(without);
    await rig.as("alice").haltTrading({ projectionPath: NODE, reason: "mine" });
    rig.engine.haltTrading({ projectionPath: "Account[OTHER]", reason: "theirs", cancelOrders: false });
    rig.clock.advance(1_000);
    for (const _ of [1, 2, 3]) {
      const { body } = await read("/trading/halts");
      expect(body).toMatchObject({ complete: false, halts: [{ projectionPath: NODE, by: "alice" }] });
    }
    expect(asked("listHalts")).toBe(1);
  });

  it("is asked for again after a minute, and when there is a new link to the engine", async () => {
    await start(without);
    const complete = async () => (await rig.as("viewer").listHalts()).complete;
    expect(await complete()).toBe(false);
    Reflect.deleteProperty(rig.engine, "listHalts");
    expect(await complete()).toBe(false);
    rig.clock.advance(60_000);
    expect(await complete()).toBe(true);
    Reflect.set(rig.engine, "listHalts", undefined);
    expect(await complete()).toBe(false);
    Reflect.deleteProperty(rig.engine, "listHalts");
    rig.api.compareStops();
    expect(await complete()).toBe(true);
  });

  it.each(["unsupported", "rejected", "not-found", "not-understood"] as const)(
    "an older engine may refuse it as %s: it does not have it",
    async (refusal) => {
      await start({});
      rig.gate.replyWith(({ method }) => {
        if (method === "listHalts") return { ok: false, refusal, message: "what?" };
        return { ok: true, result: { projectionPath: "", halted: true, reason: "x" } };
      });
      const { warning, body } = await read("/trading/halts");
      expect([warning, body]).toMatchObject([undefined, { complete: false, halts: [{ projectionPath: "" }] }]);
    },
  );

  it("what an engine refuses one caller it is still asked for by others", async () => {
    await start({});
    rig.engine.haltTrading({ projectionPath: NODE, reason: "theirs", cancelOrders: false });
    rig.clock.advance(1_000);
    rig.gate.replyWith(({ method }) =>
      method === "listHalts"
        ? { ok: false, refusal: "rejected", message: "not you" }
        : { ok: true, result: { projectionPath: "", halted: false, reason: null } },
    );
    expect(await rig.as("viewer").listHalts()).toMatchObject({ complete: false, halts: [] });
    rig.gate.replyWith(undefined);
    expect(await rig.as("alice").listHalts()).toMatchObject({ complete: true, halts: [{ projectionPath: NODE }] });
  });

  it("an engine that does not describe itself: 404 that says so", async () => {
    await start(without);
    const { status, body } = await read("/engine");
    expect([status, body.message]).toEqual([
      404,
      "The engine does not describe itself: it has no operation describeEngine",
    ]);
  });

  it.each<readonly [string, EngineReply, number]>([
    ["is unavailable", { ok: false, refusal: "unavailable", message: "starting" }, 503],
    ["fails", { ok: false, refusal: "internal", message: "broken" }, 500],
  ])("an engine that %s is not one without a description", async (_, reply, expected) => {
    await start({});
    rig.gate.replyWith(() => reply);
    expect((await read("/engine")).status).toBe(expected);
    rig.gate.replyWith(undefined);
    expect((await read("/engine")).status).toBe(200);
  });
});

describe("D-ENG 29: GET /engine says what the engine is and has", () => {
  it("the simulated engine describes its installation, to any user", async () => {
    await start({});
    const { status, body } = await read("/engine");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: "Simulated engine",
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      operations: expect.arrayContaining(["haltTrading", "listHalts", "describeEngine"]),
      haltKeys: expect.arrayContaining(["Account", "Symbol"]),
      positionProjections: expect.arrayContaining(["Account/Symbol"]),
      riskTables: expect.arrayContaining([{ projection: "Source", limits: ["MaxOrderSize", "MaxOpenOrdersCount"] }]),
      gatewayTypes: expect.arrayContaining(["OrderEntry", "TradeConnector"]),
      counts: { connections: true, messages: true, bytes: true },
    });
    expect(body.operations).toHaveLength(20);
  });

  it("a small engine leaves out what it does not say, and what breaks the contract is left out and named", async () => {
    const small = { name: "small", operations: ["getTradingStatus"], haltKeys: [] };
    const broken = { riskTables: "none", gatewayTypes: ["DropCopy"], counts: null };
    await start({ describeEngine: () => ({ ...small, ...broken }) });
    const { status, body, warning } = await read("/engine");
    expect(status).toBe(200);
    expect(body).toEqual(small);
    expect(warning).toContain("riskTables (left out), gatewayTypes.0 (left out), counts (left out)");
  });
});
