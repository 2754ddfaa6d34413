import { describe, expect } from "vitest";
import { credentials, only } from "../support/access-files.ts";
import { sendRaw } from "../support/raw-http.ts";
import { verifies, verifiesHttp } from "../support/verifies.ts";
import { MUTATIONS, READS } from "./support/endpoints.ts";
import { verifiesGateway } from "./support/gateway.ts";
import { expectOk, requestFor, settle } from "./support/responses.ts";

describe("events", () => {
  verifiesHttp("EVENTS-NONE", async (world) => {
    for (const { name, path } of READS) {
      if (name === "listPositions") continue;
      const { status, headers, body } = await world.http({ path, headers: { Accept: "text/event-stream" } });
      expect({ name, status, type: headers["content-type"] }).toEqual({ name, status: 200, type: "application/json" });
      expect(headers["content-length"]).toBe(String(Buffer.byteLength(body)));
    }
    for (const path of ["/events", "/trading/events", "/subscribe"]) {
      expect(await world.http({ path })).toMatchObject({ status: 404 });
    }
  });

  verifies("EVENTS-LAST-REASON", async (world) => {
    for (const [name, reason] of [
      ["haltTrading", "first halt"],
      ["haltTrading", "second halt"],
      ["resumeTrading", "resumed"],
      ["haltTrading", "third halt"],
    ] as const) {
      await world.call(name, { reason });
      settle(world);
      const halted = name === "haltTrading";
      expectOk(await world.call("getTradingStatus"), { projectionPath: "", halted, reason });
    }
  });

  verifiesGateway("EVENTS-LOGGED", async (gateway) => {
    // The lines of requests come when there is time for them.
    const records = () => gateway.log().filter(({ stage }) => stage !== undefined);
    for (const { name, permission } of MUTATIONS) {
      const user = only(permission);
      expect(await gateway.http(requestFor(name, user))).toMatchObject({ status: 200 });
      const stages = records().filter(({ operation }) => operation === name);
      expect(stages).toMatchObject([
        { operation: name, user, stage: "intent" },
        { operation: name, user, stage: "applied" },
      ]);
      expect((await gateway.http(requestFor(name, "viewer"))).status).toBe(403);
      expect(records().at(-1)).toMatchObject({ operation: name, user: "viewer", stage: "denied" });
    }
  });
});

describe("versioning", () => {
  verifiesHttp("VERSION-IN-PATH", async (world) => {
    expect(world.url).toMatch(/\/api\/admin\/v1$/);
    expect(await world.http({ path: "/services" })).toMatchObject({ status: 200 });
    for (const base of ["/api/admin/v2", "/api/admin", "/api/admin/V1", "/api/admin/v1.0", "/api/admin/v01"]) {
      const request = { path: "/services", authorization: credentials("chief") };
      const { status } = await sendRaw(world.url.replace("/api/admin/v1", base), request);
      expect({ base, status }).toEqual({ base, status: 404 });
    }
  });
});
