import { describe, expect } from "vitest";
import { credentials, only } from "../support/access-files.ts";
import { sendRaw } from "../support/raw-http.ts";
import { unknownKey } from "../support/unknown-key.ts";
import { verifies, verifiesHttp } from "../support/verifies.ts";
import type { World } from "../support/world.ts";
import { ENDPOINTS, endpoint, MUTATIONS } from "./support/endpoints.ts";
import { callHanging, callLosingLink, lostMessage, MESSAGES } from "./support/faults.ts";
import { verdict } from "./support/orders.ts";
import { DECIMAL_RULE, EMPTY, expectError, expectOk, ok, settle } from "./support/responses.ts";

const JSON_TYPE = { "Content-Type": "application/json" };
const AAPL = "Account[GOLD]/Symbol[AAPL]";

async function positions(world: World): Promise<Record<string, unknown>[]> {
  return ok(world.call("listPositions", { projection: "Account/Symbol" }));
}

describe("conventions 1 and 2: paths and bodies", () => {
  verifiesHttp("CONV-1-BASE-URL", async (world) => {
    expect(world.url).toMatch(/\/api\/admin\/v1$/);
    const authorization = credentials("chief");
    expectOk(
      await sendRaw(world.url, { path: "/services/TWAP", authorization }),
      expect.objectContaining({ dma: false }),
    );
    const above = world.url.replace("/api/admin/v1", "");
    for (const path of ["/services/TWAP", "/v1/services/TWAP", "/admin/v1/services/TWAP"]) {
      expect(await sendRaw(above, { path, authorization })).toMatchObject({ status: 404 });
    }
  });

  verifiesHttp("CONV-2-JSON", async (world) => {
    const body = '{"reason":"Größe ≠ 100 ☂"}';
    const request = { method: "POST", path: "/trading/halt" };
    expect(await world.http({ ...request, headers: JSON_TYPE, body })).toMatchObject({ status: 200, body: "" });
    settle(world);
    const status = await world.http({ path: "/trading/status" });
    expect(status.headers["content-type"]).toMatch(/^application\/json(; charset=utf-8)?$/);
    expectOk(status, { projectionPath: "", halted: true, reason: "Größe ≠ 100 ☂" });
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1"]) {
      const refused = await world.http({ ...request, headers: { "Content-Type": type }, body });
      expect({ type, status: refused.status }).toEqual({ type, status: 415 });
    }
    const latin1 = await world.http({ ...request, headers: JSON_TYPE, body: Buffer.from(body, "latin1") });
    expectError(latin1, 400, "The request body is not valid UTF-8");
  });
});

describe("convention 3: values", () => {
  verifies("CONV-3-DECIMAL-STRINGS", async (world) => {
    const digits = "-0.123456789012345678901234567890";
    const fields = { averageCost: "190.000000000000000000000000001", realizedPnL: "+7" };
    expect(await world.call("adjustPosition", { projectionPath: AAPL, size: digits, ...fields })).toEqual(EMPTY);
    expect(await positions(world)).toMatchObject([
      { size: "-0.12345678901234567890123456789", averageCost: fields.averageCost, realizedPnL: "7" },
    ]);
    const limits = { MaxOrderSize: "1000000.000000000000000000001" };
    const commands = [{ type: "UPDATE", conditions: { Source: "*" }, limits }];
    const table = await ok<{ rows: unknown[] }>(world.call("updateRiskTable", { projection: "Source", commands }));
    expect(table.rows[0]).toMatchObject({ limits });
    const number = [{ ...commands[0], limits: { MaxOrderSize: 5 } }];
    expectError(
      await world.call("updateRiskTable", { projection: "Source", commands: number }),
      400,
      `commands[0].limits.MaxOrderSize: ${DECIMAL_RULE}`,
    );
    expectError(await world.call("adjustPosition", { projectionPath: AAPL, size: 5 }), 400, `size: ${DECIMAL_RULE}`);
  });

  verifies("CONV-3-ABSENT-NULL", async (world) => {
    expect((await world.call("getTradingStatus")).body).toContain('"reason":null');
    expect((await world.call("getService", { name: "TWAP" })).body).toContain('"status":null');
    const session = await world.call("getFixSession", { gateway: "OE1", session: "LEGACY" });
    for (const field of ["localPort", "remoteIp", "remotePort", "localIp", "connectTimestamp", "disconnectTimestamp"]) {
      expect(session.body).toContain(`"${field}":null`);
    }
    await world.call("adjustPosition", { projectionPath: AAPL, size: "5", averageCost: "NaN", realizedPnL: "NaN" });
    const [position] = await positions(world);
    expect(position).toMatchObject({ averageCost: null, realizedPnL: null, unrealizedPnL: null });
  });
});

describe("conventions 4 and 5: paths and projections", () => {
  verifies("CONV-4-PATH", async (world) => {
    const projectionPath = "Source[FIXCLIENT1]/Account[GOLD]";
    await world.call("haltTrading", { projectionPath });
    settle(world);
    expect(verdict(world)).toContain(`halted at ${projectionPath}`);
    expect(verdict(world, { attributes: { Account: "SILVER" } })).toBe("accepted");
    expect(verdict(world, { attributes: { Source: "WEBDESK" } })).toBe("accepted");
    for (const bad of ["Account", "Account[]", "Account[GOLD", "Account[GOLD]/", "/Account[GOLD]", "Account=GOLD"]) {
      expect({ bad, status: (await world.call("haltTrading", { projectionPath: bad })).status }).toEqual({
        bad,
        status: 400,
      });
    }
  });

  verifies("CONV-4-ROOT", async (world) => {
    for (const input of [{}, { projectionPath: "" }]) {
      await world.call("haltTrading", input);
      settle(world);
      expect(verdict(world)).toContain("halted system-wide");
      for (const read of [{}, { projectionPath: "" }]) {
        expect((await world.call("getTradingStatus", read)).json).toMatchObject({ projectionPath: "", halted: true });
      }
      await world.call("resumeTrading", input);
      settle(world);
      expect(verdict(world)).toBe("accepted");
    }
  });

  verifies("CONV-5-PROJECTION", async (world) => {
    expect((await world.call("getRiskTable", { projection: "Account/Symbol" })).json).toMatchObject({
      projection: "Account/Symbol",
    });
    expectOk(await world.call("listPositions", { projection: "Exchange/Symbol" }), []);
    for (const [bad, message] of [
      ["Account,Symbol", `projection: ${unknownKey("Account,Symbol")}`],
      ["account/Symbol", `projection: ${unknownKey("account")}`],
      ["Account//Symbol", `projection: ${unknownKey("")}`],
      ["Account/Account", 'projection: projection key "Account" is given twice'],
    ] as const) {
      expectError(await world.call("getRiskTable", { projection: bad }), 400, message);
      expectError(await world.call("listPositions", { projection: bad }), 400, message);
    }
  });

  verifies("CONV-5-ROOT", async (world) => {
    expect((await world.call("getRiskTable", { projection: "" })).json).toMatchObject({
      projection: "",
      rows: [{ conditions: {} }],
    });
  });
});

describe("conventions 6 to 8: time, retries, records", () => {
  verifies("CONV-6-TEN-SECONDS", async (world) => {
    for (const { status } of await callHanging(world, ENDPOINTS, 9_999)) expect(status).toBe(200);
    for (const answer of await callHanging(world, ENDPOINTS, 10_000)) expectError(answer, 504, MESSAGES.timeout);
  });

  verifies("CONV-7-NO-RETRY", async (world) => {
    for (const { status } of await callHanging(world, MUTATIONS, 10_000)) expect(status).toBe(504);
    world.clock.advance(120_000);
    expect(world.gate.seen.map(({ method }) => method)).toHaveLength(9);
    for (const { name, input } of MUTATIONS) {
      expectError(await callLosingLink(world, name, input), 504, lostMessage(world));
    }
    world.clock.advance(120_000);
    const times = MUTATIONS.map(({ name }) => world.gate.seen.filter(({ method }) => method === name).length);
    expect(times).toEqual([2, 2, 2, 2, 2, 2, 2, 2, 2]);
  });

  verifies("CONV-7-MAY-BE-APPLIED", async (world) => {
    world.gate.replyWith(() => {
      world.engine.haltTrading({ projectionPath: "", reason: "applied all the same", cancelOrders: false });
      world.clock.advance(10_000);
      return { ok: true, result: null };
    });
    const [answer] = await callHanging(world, [endpoint("haltTrading")], 0);
    expectError(answer ?? { status: 0, body: "" }, 504, MESSAGES.timeout);
    expect(new Set(world.audit.stages)).toEqual(new Set(["intent", "unknown", "applied late"]));
    world.gate.replyWith(undefined);
    settle(world);
    const status = await world.call("getTradingStatus");
    expectOk(status, { projectionPath: "", halted: true, reason: "applied all the same" });
  });

  verifies("CONV-8-RECORDED", async (world) => {
    for (const { name, input, permission } of MUTATIONS) {
      const user = only(permission);
      expect((await world.call(name, input, user)).status).toBe(200);
      const [intent, applied] = world.audit.records.slice(-2);
      expect(intent).toMatchObject({ operation: name, user, stage: "intent" });
      expect(applied).toMatchObject({ operation: name, user, stage: "applied", id: intent?.id });
    }
    expect(world.audit.records).toHaveLength(18);
  });
});
