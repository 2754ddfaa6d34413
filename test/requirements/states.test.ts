import { describe, expect } from "vitest";
import type { OperationName } from "../../src/core/operations/table.ts";
import type { Permission } from "../../src/core/principal.ts";
import { only } from "../support/access-files.ts";
import { verifies } from "../support/verifies.ts";
import type { Answer, World } from "../support/world.ts";
import { NO_CONNECTION, SESSION } from "./support/fix.ts";
import { submit, verdict } from "./support/orders.ts";
import { EMPTY, expectError, expectOk, lacks, ok, settle, usersWithout } from "./support/responses.ts";

const GOLD = "Account[GOLD]";
const ENGINE_ANSWER = "The engine's reply was not understood; details are in the monitor log";

type Input = Readonly<Record<string, unknown>>;

/** Checks that those without the permission get nowhere, then runs the transition as somebody with it alone. */
async function transit(world: World, permission: Permission, name: OperationName, input: Input): Promise<Answer> {
  const before = world.gate.seen.length;
  for (const user of usersWithout(permission)) {
    expectError(await world.call(name, input, user), 403, lacks(user, permission));
  }
  expect(world.gate.seen).toHaveLength(before);
  return world.call(name, input, only(permission));
}

const halted = async (world: World, projectionPath: string) =>
  (await ok<{ halted: boolean }>(world.call("getTradingStatus", { projectionPath }))).halted;

describe("kill switch", () => {
  verifies("STATE-HALT", async (world) => {
    for (const reason of ["first", "again"]) {
      const input = { projectionPath: GOLD, reason };
      expect(await transit(world, "HALT_RESUME_TRADING", "haltTrading", input)).toEqual(EMPTY);
      settle(world);
      expectOk(await world.call("getTradingStatus", { projectionPath: GOLD }), { ...input, halted: true });
    }
    expect(verdict(world)).toContain("halted at Account[GOLD]: again");
  });

  verifies("STATE-HALT-ASYNC", async (world) => {
    expect(await world.call("haltTrading")).toEqual(EMPTY);
    expect(await halted(world, "")).toBe(false);
    world.clock.advance(5);
    expect(await halted(world, "")).toBe(true);
  });

  verifies("STATE-HALT-CANCELS", async (world) => {
    submit(world);
    submit(world, { attributes: { Account: "SILVER" } });
    await world.call("haltTrading");
    settle(world);
    expect(world.engine.workingOrders()).toHaveLength(2);
    await world.call("haltTrading", { cancelOrders: true });
    settle(world);
    expect(world.engine.workingOrders()).toEqual([]);
  });

  verifies("STATE-HALT-NODE-KEEPS", async (world) => {
    submit(world);
    submit(world, { attributes: { Account: "SILVER" } });
    for (const cancelOrders of [true, false]) {
      expect(await world.call("haltTrading", { projectionPath: GOLD, cancelOrders })).toEqual(EMPTY);
      settle(world);
      expect(await halted(world, GOLD)).toBe(true);
      expect(world.engine.workingOrders()).toHaveLength(2);
    }
  });

  verifies("STATE-RESUME", async (world) => {
    await world.call("haltTrading", { projectionPath: GOLD });
    settle(world);
    expect(await halted(world, GOLD)).toBe(true);
    const input = { projectionPath: GOLD, reason: "limits were checked" };
    expect(await transit(world, "HALT_RESUME_TRADING", "resumeTrading", input)).toEqual(EMPTY);
    settle(world);
    expect(await halted(world, GOLD)).toBe(false);
    expect(verdict(world)).toBe("accepted");
    expectReason(world, "resumeTrading", "limits were checked");
  });
});

/** Checks that the two records of the latest mutation hold its reason. */
function expectReason(world: World, operation: OperationName, reason: string): void {
  const [intent, applied] = world.audit.records.slice(-2);
  expect(intent).toMatchObject({ operation, stage: "intent", reason });
  expect(applied).toMatchObject({ operation, stage: "applied", reason, id: intent?.id });
}

describe("service", () => {
  const enabled = async (world: World) =>
    (await ok<{ enabled: boolean }>(world.call("getService", { name: "SIM" }))).enabled;

  verifies("STATE-SERVICE-DISABLE", async (world) => {
    expect(await enabled(world)).toBe(true);
    const input = { name: "SIM", reason: "fills are late" };
    expect(await transit(world, "ENABLE_DISABLE_SERVICE", "disableService", input)).toEqual(EMPTY);
    expect([await enabled(world), verdict(world)]).toEqual([false, 'service "SIM" is disabled']);
    expectReason(world, "disableService", "fills are late");
  });

  verifies("STATE-SERVICE-ENABLE", async (world) => {
    await world.call("disableService", { name: "SIM" });
    expect(await enabled(world)).toBe(false);
    const input = { name: "SIM", reason: "venue is back" };
    expect(await transit(world, "ENABLE_DISABLE_SERVICE", "enableService", input)).toEqual(EMPTY);
    expect([await enabled(world), verdict(world)]).toEqual([true, "accepted"]);
    expectReason(world, "enableService", "venue is back");
  });
});

describe("FIX session", () => {
  verifies("STATE-SESSION-DISABLE", async (world) => {
    for (const session of ["FIXCLIENT1", "FIXCLIENT3", "LEGACY"]) {
      const name = { gateway: "OE1", session };
      const answer = await transit(world, "CONTROL_FIX_SESSION", "disableFixSession", name);
      expect(answer.json).toMatchObject({ sessionId: session, status: "Disabled", ...NO_CONNECTION });
      expect(await world.call("getFixSession", name)).toEqual(answer);
      expect(world.engine.logonFixSession(name)).toBe(false);
    }
  });

  verifies("STATE-SESSION-ENABLE", async (world) => {
    const name = { gateway: "OE1", session: "LEGACY" };
    expect(world.engine.logonFixSession(name)).toBe(false);
    const answer = await transit(world, "CONTROL_FIX_SESSION", "enableFixSession", name);
    expect(answer.json).toMatchObject({ sessionId: "LEGACY", status: "Disconnected" });
    expect(await world.call("getFixSession", name)).toEqual(answer);
    expect(world.engine.logonFixSession(name)).toBe(true);
  });

  verifies("STATE-SESSION-DISCONNECT", async (world) => {
    const answer = await transit(world, "CONTROL_FIX_SESSION", "disconnectFixSession", SESSION);
    expect(answer.json).toMatchObject({ sessionId: "FIXCLIENT1", status: "Disconnected", ...NO_CONNECTION });
    expect(await world.call("getFixSession", SESSION)).toEqual(answer);
    expect(world.engine.logonFixSession(SESSION)).toBe(true);
  });
});

describe("state values", () => {
  verifies("STATE-VALUES", async (world) => {
    const told = async (name: OperationName, input: Input, values: readonly Input[], mayBeNull = false) => {
      const original = await ok<Input>(world.call(name, input));
      for (const value of values) {
        world.gate.replyWith(() => ({ ok: true, result: { ...original, ...value } }));
        expectOk(await world.call(name, input), { ...original, ...value });
      }
      for (const key of Object.keys(values[0] ?? {})) {
        world.gate.replyWith(() => ({ ok: true, result: { ...original, [key]: "Paused" } }));
        const shown = await world.call(name, input);
        if (mayBeNull) expectOk(shown, { ...original, [key]: null });
        else expectError(shown, 500, ENGINE_ANSWER);
      }
      world.gate.replyWith(undefined);
    };
    const connected = { status: "Connected" };
    const disconnected = { status: "Disconnected" };
    await told("getTradingStatus", {}, [{ halted: true }, { halted: false }]);
    await told("getService", { name: "SIM" }, [connected, disconnected], true);
    await told("getFixSession", SESSION, [connected, disconnected, { status: "Disabled" }]);
  });
});
