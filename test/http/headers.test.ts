import { request as nodeRequest } from "node:http";
import { beforeEach, describe, expect } from "vitest";
import type { Policy, PolicyRequest } from "../../src/core/policy/policy.ts";
import { twoPerson } from "../../src/policy/two-person.ts";
import { exchange } from "../gateway/connection.ts";
import { credentials, only } from "../support/access-files.ts";
import type { RawRequest } from "../support/raw-http.ts";
import { JSON_TYPE, post, rule } from "./rule.ts";

describe("headers of requests and responses", () => {
  rule("D-HTTP 8: every response forbids caching and sniffing, and has a request id", async ({ http }) => {
    const requests: RawRequest[] = [
      { path: "/services" },
      { path: "/nothing" },
      { path: "/services", authorization: null },
      { method: "OPTIONS", path: "/services" },
      post("/trading/halt", "{}"),
    ];
    for (const request of requests) {
      const { headers } = await http(request);
      expect([headers["cache-control"], headers["x-content-type-options"]]).toEqual(["no-store", "nosniff"]);
      expect(headers["x-request-id"]).toMatch(/^[\w.-]+$/);
    }
  });

  rule(
    "D-HTTP 21: a good X-Request-Id is echoed, recorded and passed on; another is replaced",
    async ({ http, gate, audit }) => {
      const given = { ...JSON_TYPE, "X-Request-Id": "desk-7_a.B" };
      expect((await http(post("/trading/halt", "{}", given))).headers["x-request-id"]).toBe("desk-7_a.B");
      expect(gate.seen[0]?.context.requestId).toBe("desk-7_a.B");
      expect(audit.records.map(({ requestId }) => requestId)).toEqual(["desk-7_a.B", "desk-7_a.B"]);
      for (const bad of ["a b", "x".repeat(65), "é", ""]) {
        const id = (await http({ path: "/services", headers: { "X-Request-Id": bad } })).headers["x-request-id"];
        expect(id).toMatch(/^[0-9a-f]{18}-[0-9a-z]+$/);
      }
    },
  );

  rule("D-HTTP 23: traceparent is passed on when it is one", async ({ http, gate }) => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    await http({ path: "/services", headers: { traceparent } });
    await http({ path: "/services", headers: { traceparent: "nonsense" } });
    expect(gate.seen.map(({ context }) => context.traceparent)).toEqual([traceparent, undefined]);
  });

  rule(
    "D-HTTP 20: 429 and 503 carry Retry-After: 1",
    async ({ http, gate, bus }) => {
      gate.hold();
      const first = http({ path: "/services" });
      await expect.poll(() => gate.seen.length).toBe(1);
      const refused = await http({ path: "/services" });
      expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "1"]);
      gate.release();
      expect((await first).status).toBe(200);
      bus.detach();
      const unavailable = await http(post("/trading/halt", "{}"));
      expect([unavailable.status, unavailable.headers["retry-after"]]).toEqual([503, "1"]);
    },
    { capacities: { read: 1 } },
  );
});

describe("outcome certainty", () => {
  rule("D-ENG 6: an ignored cancelOrders is answered 200 with X-Admin-Warning", async ({ http, gate }) => {
    const reply = await http(post("/trading/halt", '{"projectionPath":"Account[GOLD]","cancelOrders":true}'));
    expect([reply.status, reply.body]).toEqual([200, ""]);
    expect(reply.headers["x-admin-warning"]).toContain("cancelOrders was ignored");
    expect(gate.seen[0]?.input).toMatchObject({ cancelOrders: false });
    const atRoot = await http(post("/trading/halt", '{"cancelOrders":true}'));
    expect(atRoot.headers["x-admin-warning"]).toBeUndefined();
    expect(gate.seen[1]?.input).toMatchObject({ cancelOrders: true });
  });

  rule("D-ENG 4: a caller that hangs up neither cancels nor hides a mutation", async ({ url, gate, audit }) => {
    gate.hold();
    const headers = { Authorization: credentials("chief") };
    const sent = nodeRequest(`${url}/trading/resume`, { method: "POST", headers });
    sent.on("error", () => {});
    sent.end();
    await expect.poll(() => gate.seen.length).toBe(1);
    sent.destroy();
    gate.release();
    await expect.poll(() => audit.stages).toEqual(["intent", "applied"]);
  });
});

describe("D-UAC 23: X-Admin-Approves", () => {
  let policy: Policy;
  const options = { policy: (request: PolicyRequest) => policy(request) };

  beforeEach(() => {
    policy = twoPerson({ operations: ["resumeTrading"] });
  });

  const resume = (reason: string) =>
    post("/trading/resume", JSON.stringify({ reason }), { ...JSON_TYPE, "X-Request-Id": "first" });
  const second = { authorization: credentials(only("HALT_RESUME_TRADING")) };

  rule(
    "says whose request a change has approved, in any characters, on that response alone",
    async ({ http }) => {
      const reason = "börse läuft & wieder = 100 %, \u202eжду";
      const first = await http(resume(reason));
      const sent = await http({ ...post("/trading/resume", "{}"), ...second });
      const halted = await http({ ...post("/trading/halt", "{}"), ...second });
      const read = await http({ path: "/trading/status" });
      expect([first, sent, halted, read].map(({ status }) => status)).toEqual([403, 200, 200, 200]);
      const said = [first, sent, halted, read].map(({ headers }) => headers["x-admin-approves"]);
      expect(said).toEqual([undefined, expect.stringMatching(/^[\w.*+%=&-]+$/), undefined, undefined]);
      expect(Object.fromEntries(new URLSearchParams(said[1]?.toString()))).toEqual({
        requestedBy: "chief",
        requestedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        requestId: "first",
        requestReason: "börse läuft & wieder = 100 %, \\u202eжду",
      });
    },
    options,
  );

  rule(
    "is short enough for a proxy, however long the reason is",
    async ({ http }) => {
      await http(resume("交".repeat(1_024)));
      const { status, headers } = await http({ ...post("/trading/resume", "{}"), ...second });
      expect(status).toBe(200);
      const said = String(headers["x-admin-approves"]);
      expect(said.length).toBeLessThan(2_048);
      expect(new URLSearchParams(said).get("requestReason")).toMatch(/^交{50,}\.\.\.$/);
    },
    options,
  );
});

describe("D-HTTP 25: a request with more than one Host", () => {
  rule("is 400 wherever the API is mounted, and nothing is applied", async ({ url, origin, authentication, gate }) => {
    const { pathname } = new URL(url);
    for (const second of ["Host: x", "Host: y", "hOST:"]) {
      const lines = [`POST ${pathname}/trading/resume HTTP/1.1`, "Host: x", second, "Content-Length: 0"];
      const credentials = `Authorization: ${authentication.credentials("chief")}`;
      const reply = await exchange(origin, [...lines, credentials, "Connection: close", "", ""].join("\r\n"));
      const [head, body = ""] = reply.split("\r\n\r\n");
      expect(head).toMatch(/^HTTP\/1\.1 400 /);
      expect(JSON.parse(body)).toEqual({
        status: 400,
        error: "Bad Request",
        message: "The header Host is there more than once",
      });
    }
    expect(gate.seen).toEqual([]);
  });
});
