import { describe, expect } from "vitest";
import { verifies, verifiesHttp } from "../support/verifies.ts";
import { submit, verdict } from "./support/orders.ts";
import { EMPTY, expectEndpoint, expectError, expectOk, ok, settle } from "./support/responses.ts";

const GOLD = "Account[GOLD]";
const RUNNING = { projectionPath: "", halted: false, reason: null };

describe("kill switch state", () => {
  verifies("KILL-SWITCH-PATH", async (world) => {
    await world.call("haltTrading", { projectionPath: GOLD });
    settle(world);
    expectOk(await world.call("getTradingStatus", { projectionPath: GOLD }), {
      projectionPath: GOLD,
      halted: true,
      reason: "Trading halted",
    });
    expectOk(await world.call("getTradingStatus", { projectionPath: "" }), RUNNING);
  });

  verifies("KILL-SWITCH-HALTED", async (world) => {
    const halted = async () => (await ok<{ halted: unknown }>(world.call("getTradingStatus"))).halted;
    expect([await halted(), verdict(world)]).toEqual([false, "accepted"]);
    await world.call("haltTrading");
    settle(world);
    expect([await halted(), verdict(world)]).toEqual([true, expect.stringContaining("TRADING_IS_HALTED")]);
    await world.call("resumeTrading");
    settle(world);
    expect([await halted(), verdict(world)]).toEqual([false, "accepted"]);
  });

  verifies("KILL-SWITCH-REASON", async (world) => {
    expectOk(await world.call("getTradingStatus"), RUNNING);
    await world.call("haltTrading", { reason: "drill" });
    settle(world);
    expectOk(await world.call("getTradingStatus"), { projectionPath: "", halted: true, reason: "drill" });
    await world.call("resumeTrading", { reason: "drill over" });
    settle(world);
    expectOk(await world.call("getTradingStatus"), { projectionPath: "", halted: false, reason: "drill over" });
  });
});

describe("GET /trading/status", () => {
  verifiesHttp("TRADING-STATUS-ENDPOINT", async (world) => {
    expectOk(await expectEndpoint(world, "getTradingStatus"), RUNNING);
  });

  verifiesHttp("TRADING-STATUS-PATH", async (world) => {
    await world.call("haltTrading", { projectionPath: GOLD });
    settle(world);
    expectOk(await world.http({ path: "/trading/status?projectionPath=Account%5BGOLD%5D" }), {
      projectionPath: GOLD,
      halted: true,
      reason: "Trading halted",
    });
    expectOk(await world.http({ path: "/trading/status" }), RUNNING);
    expectOk(await world.http({ path: "/trading/status?projectionPath=" }), RUNNING);
  });

  verifies("TRADING-STATUS", async ({ call }) => {
    expect(await call("getTradingStatus")).toMatchObject({
      status: 200,
      body: '{"projectionPath":"","halted":false,"reason":null}',
    });
  });
});

describe("POST /trading/halt", () => {
  verifiesHttp("TRADING-HALT-ENDPOINT", async (world) => {
    await expectEndpoint(world, "haltTrading");
    settle(world);
    expectOk(await world.call("getTradingStatus"), { projectionPath: "", halted: true, reason: "Trading halted" });
  });

  verifies("TRADING-HALT-PATH", async (world) => {
    for (const [given, path] of [
      [{}, ""],
      [{ projectionPath: "" }, ""],
      [{ projectionPath: GOLD }, GOLD],
    ] as const) {
      expect(await world.call("haltTrading", given)).toEqual(EMPTY);
      expect(world.gate.seen.at(-1)?.input).toMatchObject({ projectionPath: path });
    }
    expectError(await world.call("haltTrading", { projectionPath: 7 }), 400, "projectionPath: must be a string");
  });

  verifies("TRADING-HALT-DEFAULT-REASON", async (world) => {
    for (const [given, reason] of [
      [{}, "Trading halted"],
      [{ reason: "fat finger" }, "fat finger"],
      [{ reason: "" }, ""],
    ] as const) {
      await world.call("haltTrading", given);
      settle(world);
      expectOk(await world.call("getTradingStatus"), { projectionPath: "", halted: true, reason });
      expect(world.audit.records.at(-1)).toMatchObject({ operation: "haltTrading", stage: "applied", reason });
    }
    expectError(await world.call("haltTrading", { reason: 7 }), 400, "reason: must be a string");
  });

  verifies("TRADING-HALT-CANCEL", async (world) => {
    for (const [given, seen] of [
      [{}, false],
      [{ cancelOrders: false }, false],
      [{ cancelOrders: true }, true],
      [{ cancelOrders: true, projectionPath: "" }, true],
      [{ cancelOrders: true, projectionPath: GOLD }, false],
    ] as const) {
      expect(await world.call("haltTrading", given)).toEqual(EMPTY);
      expect(world.gate.seen.at(-1)?.input).toMatchObject({ cancelOrders: seen });
    }
    const refused = await world.call("haltTrading", { cancelOrders: "true" });
    expectError(refused, 400, "cancelOrders: must be true or false");
  });

  verifies("TRADING-HALT-ANSWER", async (world) => {
    expect(await world.call("haltTrading")).toEqual(EMPTY);
    expectOk(await world.call("getTradingStatus"), RUNNING);
    settle(world);
    expectOk(await world.call("getTradingStatus"), { projectionPath: "", halted: true, reason: "Trading halted" });
  });
});

describe("POST /trading/resume", () => {
  verifiesHttp("TRADING-RESUME-ENDPOINT", async (world) => {
    await expectEndpoint(world, "resumeTrading");
    settle(world);
    expectOk(await world.call("getTradingStatus"), { projectionPath: "", halted: false, reason: "Trading resumed" });
  });

  verifies("TRADING-RESUME-PATH", async (world) => {
    await world.call("haltTrading", { projectionPath: GOLD });
    await world.call("haltTrading");
    await world.call("resumeTrading");
    settle(world);
    expect(verdict(world)).toContain(`halted at ${GOLD}`);
    await world.call("resumeTrading", { projectionPath: GOLD });
    settle(world);
    expect(submit(world).accepted).toBe(true);
    expectError(await world.call("resumeTrading", { projectionPath: [] }), 400, "projectionPath: must be a string");
  });

  verifies("TRADING-RESUME-DEFAULT-REASON", async (world) => {
    for (const [given, reason] of [
      [{}, "Trading resumed"],
      [{ reason: "all clear" }, "all clear"],
    ] as const) {
      await world.call("resumeTrading", given);
      settle(world);
      expectOk(await world.call("getTradingStatus"), { projectionPath: "", halted: false, reason });
    }
    expectError(await world.call("resumeTrading", { reason: {} }), 400, "reason: must be a string");
  });

  verifies("TRADING-RESUME-ANSWER", async (world) => {
    await world.call("haltTrading");
    expect(await world.call("resumeTrading")).toEqual(EMPTY);
    settle(world);
    expectOk(await world.call("getTradingStatus"), { projectionPath: "", halted: false, reason: "Trading resumed" });
  });
});
