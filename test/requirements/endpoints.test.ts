import { describe, expect } from "vitest";
import { verifiesHttp } from "../support/verifies.ts";
import { ENDPOINTS, MUTATIONS, READS } from "./support/endpoints.ts";
import { expectError, lacks, requestFor } from "./support/responses.ts";

describe("all endpoints", () => {
  verifiesHttp("ENDPOINTS-BASE", async (world) => {
    expect(new URL(world.url).pathname).toMatch(/^(\/monitor)?\/api\/admin\/v1$/);
    expect(ENDPOINTS).toHaveLength(18);
    for (const { name } of ENDPOINTS) {
      const { status } = await world.http(requestFor(name));
      expect({ name, status, reached: world.gate.seen.at(-1)?.method }).toEqual({ name, status: 200, reached: name });
    }
  });

  verifiesHttp("ENDPOINTS-JSON", async (world) => {
    for (const { name, body, empty } of ENDPOINTS) {
      const request = requestFor(name);
      const reply = await world.http(request);
      expect({ name, status: reply.status }).toEqual({ name, status: 200 });
      if (!empty) {
        expect(reply.headers["content-type"]).toBe("application/json");
        expect(JSON.stringify(JSON.parse(reply.body))).toBe(reply.body);
      }
      if (body === undefined) continue;
      const text = await world.http({ ...request, headers: { "Content-Type": "text/plain" } });
      expectError(text, 415, 'Content-Type must be application/json in UTF-8; it is "text/plain"');
      const broken = await world.http({ ...request, body: "{" });
      expectError(broken, 400, "The request body is not valid JSON");
    }
  });

  verifiesHttp("ENDPOINTS-EMPTY-BODY", async (world) => {
    const empty = new Set(["haltTrading", "resumeTrading", "adjustPosition", "disableService", "enableService"]);
    for (const { name } of ENDPOINTS) {
      const { status, body, headers } = await world.http(requestFor(name));
      expect({ name, status, isEmpty: body === "" }).toEqual({ name, status: 200, isEmpty: empty.has(name) });
      if (empty.has(name)) {
        expect(headers).toMatchObject({ "content-length": "0" });
        expect(headers).not.toHaveProperty("content-type");
      }
    }
  });

  verifiesHttp("ENDPOINTS-PERMISSIONS", async (world) => {
    for (const { name } of READS) {
      const { status } = await world.http(requestFor(name, "viewer"));
      expect({ name, status }).toEqual({ name, status: 200 });
    }
    const seen = world.gate.seen.length;
    for (const { name, permission } of MUTATIONS) {
      const refused = await world.http(requestFor(name, "viewer"));
      expectError(refused, 403, lacks("viewer", permission));
    }
    expect([READS.length, MUTATIONS.length, world.gate.seen.length]).toEqual([9, 9, seen]);
  });
});
