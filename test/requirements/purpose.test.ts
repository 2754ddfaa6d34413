import { describe, expect, it } from "vitest";
import { parseSettings } from "../../src/config/load.ts";
import { callHttps } from "../gateway/https-call.ts";
import { credentials } from "../support/access-files.ts";
import { freePort } from "../support/ports.ts";
import { sendRaw } from "../support/raw-http.ts";
import { mountsOver, TRANSPORTS, titleOf, verifies } from "../support/verifies.ts";
import { type HttpWorld, httpWorld } from "../support/world.ts";
import { pathOf, textOf } from "../tls/stores.ts";
import { type RequirementId, requirements } from "./requirements.ts";
import { ENDPOINTS } from "./support/endpoints.ts";
import { SESSION } from "./support/fix.ts";
import { openGateway, verifiesGateway } from "./support/gateway.ts";
import { verdict } from "./support/orders.ts";
import { EMPTY, expectError, expectOk, ok, requestFor, settle } from "./support/responses.ts";

/** Proves a requirement over every mount in a host application with routes of its own. */
function verifiesHosts(id: RequirementId, prove: (world: HttpWorld) => Promise<void>): void {
  for (const transport of TRANSPORTS) {
    for (const mount of mountsOver(transport).filter(({ name }) => name !== "node:http")) {
      it(`${id} [${titleOf(mount.name, transport)}] ${requirements[id].behavior}`, async () => {
        const world = await httpWorld(mount, { transport });
        await prove(world).finally(() => world.close());
      });
    }
  }
}

describe("what a caller may do", () => {
  verifies("PURPOSE-TRADING", async (world) => {
    const silver = { attributes: { Account: "SILVER" } };
    for (const [input, atNode] of [
      [{}, "halted system-wide"],
      [{ projectionPath: "Account[GOLD]" }, "halted at Account[GOLD]"],
    ] as const) {
      expect(await world.call("haltTrading", input)).toEqual(EMPTY);
      settle(world);
      expect(verdict(world)).toContain(atNode);
      expect(verdict(world, silver)).toContain("projectionPath" in input ? "accepted" : atNode);
      expect(await world.call("resumeTrading", input)).toEqual(EMPTY);
      settle(world);
      expect([verdict(world), verdict(world, silver)]).toEqual(["accepted", "accepted"]);
    }
  });

  verifies("PURPOSE-RISK", async (world) => {
    const limits = { MaxOrderSize: "99", MaxPositionLong: "8000", MaxPositionShort: "8000" };
    const commands = [{ type: "UPDATE", conditions: { Account: "*", Symbol: "*" }, limits }];
    expect((await world.call("updateRiskTable", { projection: "Account/Symbol", commands })).status).toBe(200);
    const table = await ok<{ rows: unknown[] }>(world.call("getRiskTable", { projection: "Account/Symbol" }));
    expect(table.rows[0]).toEqual({ conditions: { Account: "*", Symbol: "*" }, limits });
    expect(verdict(world)).toContain("order size 100 exceeds MaxOrderSize 99");
    expect(verdict(world, { size: "99" })).toBe("accepted");
  });

  verifies("PURPOSE-POSITIONS", async (world) => {
    const projectionPath = "Account[GOLD]/Symbol[AAPL]";
    expect(await world.call("adjustPosition", { projectionPath, size: "-250" })).toEqual(EMPTY);
    const answer = await world.call("listPositions", { projection: "Account/Symbol", account: "GOLD" });
    expect(answer.json).toMatchObject([{ projection: projectionPath, size: "-250", marketValue: "-47562.5" }]);
  });

  verifies("PURPOSE-SERVICES", async (world) => {
    const services = await ok<{ name: string; type: string }[]>(world.call("listServices"));
    expect(services.map(({ type, name }) => `${type} ${name}`)).toEqual(
      expect.arrayContaining(["Connector SIM", "Algorithm TWAP"]),
    );
    for (const Destination of ["SIM", "TWAP"]) {
      const order = { attributes: { Destination } };
      expect(await world.call("disableService", { name: Destination })).toEqual(EMPTY);
      expect(verdict(world, order)).toBe(`service "${Destination}" is disabled`);
      expect(await world.call("enableService", { name: Destination })).toEqual(EMPTY);
      expect(verdict(world, order)).toBe("accepted");
    }
  });

  verifies("PURPOSE-FIX", async (world) => {
    expect((await world.call("listFixGateways")).json).toHaveLength(4);
    expect((await world.call("listFixSessions", { gateway: "OE1" })).json).toHaveLength(4);
    expect((await world.call("getFixGateway", { gateway: "OE1" })).json).toMatchObject({ gatewayName: "OE1" });
    for (const [name, status] of [
      ["disconnectFixSession", "Disconnected"],
      ["disableFixSession", "Disabled"],
      ["enableFixSession", "Disconnected"],
    ] as const) {
      expect((await world.call(name, SESSION)).json).toMatchObject({ status });
      expect((await world.call("getFixSession", SESSION)).json).toMatchObject({ status });
    }
  });
});

describe("where it is served", () => {
  verifiesHosts("SERVED-BY-BACKEND", async (world) => {
    const host = { path: "/host" };
    expect(await sendRaw(world.origin, host)).toMatchObject({ status: 200, body: "host" });
    expectOk(await world.http({ path: "/trading/status" }), { projectionPath: "", halted: false, reason: null });
    world.bus.detach();
    expect(await world.http({ path: "/trading/status" })).toMatchObject({ status: 503 });
    expect(await sendRaw(world.origin, host)).toMatchObject({ status: 200, body: "host" });
  });

  verifiesGateway("SERVED-BY-GATEWAY", async (gateway) => {
    for (const { name } of ENDPOINTS) {
      const { status } = await gateway.http(requestFor(name));
      expect({ name, status }).toEqual({ name, status: 200 });
    }
  });

  verifiesGateway("SERVED-PORT", async () => {
    expect(parseSettings("", "application.yaml")["server.port"]).toBe(8988);
    const port = await freePort();
    const gateway = await openGateway(`server.port: ${port}`);
    expect(gateway.origin).toBe(`http://127.0.0.1:${port}`);
    const reply = await gateway.http({ path: "/services" }).finally(() => gateway.close());
    expect(reply.status).toBe(200);
  });
});

describe("enabling", () => {
  verifiesGateway(
    "ENABLED-BY-DEFAULT",
    async (gateway) => expect((await gateway.http({ path: "/services" })).status).toBe(200),
    "",
  );

  verifiesGateway(
    "ENABLED-OFF",
    async (gateway) => {
      for (const { name } of ENDPOINTS) {
        expectError(await gateway.http({ ...requestFor(name), foreign: true }), 404, "Nothing is served at this path");
      }
    },
    "admin.api.enabled: false",
  );

  verifiesGateway(
    "ENABLED-HTTPS",
    async ({ origin, http }) => {
      expect(origin).toMatch(/^https:/);
      const asked = { headers: { Authorization: credentials("viewer") }, ca: textOf("root.pem") };
      expect(await callHttps(origin, asked)).toMatchObject({ status: 200, body: expect.stringContaining('"halted"') });
      await expect(http({ path: "/services" })).rejects.toThrow(/socket hang up|ECONNRESET/);
    },
    `server.ssl: { certificate: ${pathOf("rsa.pem")}, certificate-private-key: ${pathOf("rsa.key")} }`,
  );
});
