import { describe, expect } from "vitest";
import { credentials, only } from "../support/access-files.ts";
import { unknownKey } from "../support/unknown-key.ts";
import { verifies, verifiesHttp } from "../support/verifies.ts";
import type { Answer, World } from "../support/world.ts";
import { ENDPOINTS, MUTATIONS } from "./support/endpoints.ts";
import { DECIMAL_RULE, expectError, lacks, requestFor, usersWithout } from "./support/responses.ts";

const JSON_TYPE = { "Content-Type": "application/json" };

function update(world: World, projection: string, ...commands: readonly Record<string, unknown>[]): Promise<Answer> {
  return world.call("updateRiskTable", { projection, commands });
}

describe("400", () => {
  verifiesHttp("ERR-400-MALFORMED", async (world) => {
    const sent = (body: string) => world.http({ method: "POST", path: "/trading/halt", headers: JSON_TYPE, body });
    for (const [body, message] of [
      ['{"reason":', "The request body is not valid JSON"],
      ["{'reason':1}", "The request body is not valid JSON"],
      ["[]", "The request body must be a JSON object"],
      ['"halt"', "The request body must be a JSON object"],
      ['{"reason":1,"cancelOrders":1}', "reason: must be a string; cancelOrders: must be true or false"],
      ['{"reasn":"x"}', "reasn: unknown field"],
    ] as const) {
      expectError(await sent(body), 400, message);
    }
    expectError(await world.http({ path: "/services/%zz" }), 400, 'The path holds a malformed percent escape: "%zz"');
    expect(world.gate.seen).toEqual([]);
  });

  verifies("ERR-400-MISSING-FIELD", async (world) => {
    expectError(await world.call("updateRiskTable"), 400, "projection: is required; commands: is required");
    expectError(await world.call("listPositions"), 400, "projection: is required");
    expectError(await world.call("adjustPosition"), 400, "projectionPath: is required; size: is required");
    const command = await update(world, "Source", { limits: {} });
    expectError(command, 400, "commands[0].type: is required; commands[0].conditions: is required");
    expect(world.gate.seen).toEqual([]);
  });

  verifies("ERR-400-DECIMAL", async (world) => {
    const adjustment = { projectionPath: "Account[GOLD]/Symbol[AAPL]", size: "1,000" };
    expectError(await world.call("adjustPosition", adjustment), 400, `size: ${DECIMAL_RULE}`);
    const limits = { MaxOrderSize: "many", MaxOpenOrdersCount: "1e3" };
    const refused = await update(world, "Source", { type: "UPDATE", conditions: { Source: "*" }, limits });
    expectError(
      refused,
      400,
      `commands[0].limits.MaxOrderSize: ${DECIMAL_RULE}; commands[0].limits.MaxOpenOrdersCount: ${DECIMAL_RULE}`,
    );
    expect(world.gate.seen).toEqual([]);
  });

  verifies("ERR-400-PROJECTION-KEY", async (world) => {
    const projectionPath = "Account[GOLD]/Colour[red]";
    const path = `projectionPath: ${unknownKey("Colour")}`;
    for (const name of ["getTradingStatus", "haltTrading", "resumeTrading"] as const) {
      expectError(await world.call(name, { projectionPath }), 400, path);
    }
    expectError(await world.call("adjustPosition", { projectionPath, size: "1" }), 400, path);
    const projection = `projection: ${unknownKey("Colour")}`;
    expectError(await world.call("getRiskTable", { projection: "Account/Colour" }), 400, projection);
    expectError(await world.call("listPositions", { projection: "Colour/Symbol" }), 400, projection);
    const row = { type: "INSERT", conditions: { Colour: "red" } };
    expectError(await update(world, "Colour", row), 400, projection);
    expectError(
      await update(world, "Source", row),
      400,
      'commands[0].conditions: unknown projection key "Colour"; commands[0].conditions: projection key "Source" is missing',
    );
    expect(world.gate.seen).toEqual([]);
  });

  verifies("ERR-400-EMPTY-COMMANDS", async (world) => {
    expectError(await update(world, "Source"), 400, "commands: must hold at least one command");
    expect(world.gate.seen).toEqual([]);
  });

  verifies("ERR-400-REJECTED", async (world) => {
    const missing = await update(world, "Source", { type: "DELETE", conditions: { Source: "NOBODY" } });
    expectError(missing, 400, "commands[0] (DELETE Source[NOBODY]): the row does not exist");
    const limits = { MaxSpeed: "1" };
    const column = await update(world, "Source", { type: "UPDATE", conditions: { Source: "*" }, limits });
    const reason = 'risk table "Source" has no limit "MaxSpeed"; it has MaxOrderSize, MaxOpenOrdersCount';
    expectError(column, 400, `commands[0] (UPDATE Source[*]): ${reason}`);
    const exact = "Grund des Servers: §7 <nicht> erlaubt";
    world.gate.replyWith(() => ({ ok: false, refusal: "rejected", message: exact }));
    expectError(await update(world, "Source", { type: "UPDATE", conditions: { Source: "*" } }), 400, exact);
  });
});

describe("401, 403, 404", () => {
  verifiesHttp("ERR-401", async (world) => {
    const bad = [
      null,
      "Basic",
      "Basic !!!",
      `Basic ${Buffer.from("chief:wrong").toString("base64")}`,
      `Basic ${Buffer.from("chief:").toString("base64")}`,
      `Bearer ${credentials("chief").slice(6)}`,
    ];
    const requests = [...ENDPOINTS.map(({ name }) => requestFor(name)), { path: "/no/such/path" }];
    for (const authorization of bad) {
      for (const request of [...requests, { method: "POST", path: "/trading/halt", headers: JSON_TYPE, body: "{" }]) {
        const { status, body, headers } = await world.http({ ...request, authorization });
        expect({ status, body, length: headers["content-length"] }).toEqual({ status: 401, body: "", length: "0" });
        expect(headers).toMatchObject({ "www-authenticate": 'Basic realm="trading-admin", charset="UTF-8"' });
        expect(headers).not.toHaveProperty("content-type");
      }
    }
    expect(world.gate.seen).toEqual([]);
  });

  verifies("ERR-403", async (world) => {
    for (const { name, input, permission } of MUTATIONS) {
      for (const user of usersWithout(permission)) {
        expectError(await world.call(name, input, user), 403, lacks(user, permission));
      }
      expect((await world.call(name, input, only(permission))).status).toBe(200);
    }
  });

  verifies("ERR-404", async (world) => {
    for (const name of ["getService", "disableService", "enableService"] as const) {
      expectError(await world.call(name, { name: "twap" }), 404, 'Unknown service "twap"');
    }
    expectError(await world.call("getFixGateway", { gateway: "A/B" }), 404, 'Unknown FIX gateway "A/B"');
    expectError(await world.call("listFixSessions", { gateway: "A/B" }), 404, 'Unknown FIX gateway "A/B"');
    for (const name of ["getFixSession", "disableFixSession", "enableFixSession", "disconnectFixSession"] as const) {
      const answer = await world.call(name, { gateway: "MD1", session: "Ä b" });
      expectError(answer, 404, 'Unknown FIX session "Ä b" of gateway "MD1"');
    }
  });
});
