import { request as nodeRequest } from "node:http";
import { describe, expect } from "vitest";
import { credentials } from "../support/access-files.ts";
import type { RawRequest } from "../support/raw-http.ts";
import { expectError, post, rule } from "./rule.ts";

describe("D-HTTP 1: the order of checks", () => {
  rule("D-HTTP 11: 401 goes before everything, and tells nothing of paths", async ({ http }) => {
    const requests: RawRequest[] = [
      { path: "/trading/status" },
      { path: "/nothing/here" },
      { path: "/%zz" },
      { method: "DELETE", path: "/services" },
      post("/trading/halt", "{broken"),
      post("/trading/halt", "x", { "Content-Type": "text/plain" }),
    ];
    for (const request of requests) {
      for (const authorization of [null, credentials("nobody"), "Basic !!", "Bearer abc"]) {
        const reply = await http({ ...request, authorization });
        expect([reply.status, reply.body, reply.headers["content-length"]]).toEqual([401, "", "0"]);
        expect(reply.headers["www-authenticate"]).toBe('Basic realm="trading-admin", charset="UTF-8"');
      }
    }
  });

  rule("404 for an unknown path goes before 405, 405 before 403", async ({ http }) => {
    const authorization = credentials("viewer");
    expectError(
      await http({ method: "DELETE", path: "/x", authorization }),
      404,
      "Not Found",
      "No operation has this path",
    );
    const reply = await http({ method: "DELETE", path: "/trading/halt", authorization });
    expectError(reply, 405, "Method Not Allowed", "This path allows POST, OPTIONS");
  });

  rule("403 goes before the body is looked at", async ({ http }) => {
    const authorization = credentials("viewer");
    const message = 'User "viewer" lacks the permission HALT_RESUME_TRADING';
    for (const request of [
      post("/trading/halt", "{broken"),
      post("/trading/halt", "x", { "Content-Type": "text/plain" }),
    ]) {
      expectError(await http({ ...request, authorization }), 403, "Forbidden", message);
    }
  });

  rule("415 and 413 go before 400", async ({ http }) => {
    expect((await http(post("/trading/halt", "{broken", { "Content-Type": "text/plain" }))).status).toBe(415);
    expect((await http(post("/trading/halt", `{"reason":"${"x".repeat(128 * 1024)}`))).status).toBe(413);
  });
});

describe("methods of a path", () => {
  rule("D-HTTP 1: 405 has Allow", async ({ http }) => {
    const reply = await http({ method: "PUT", path: "/services" });
    expectError(reply, 405, "Method Not Allowed", "This path allows GET, HEAD, OPTIONS");
    expect(reply.headers.allow).toBe("GET, HEAD, OPTIONS");
  });

  rule("D-HTTP 4: HEAD answers as GET does, without the body", async ({ http }) => {
    const get = await http({ path: "/services" });
    const head = await http({ method: "HEAD", path: "/services" });
    expect([head.status, head.body, head.headers["content-length"]]).toEqual([200, "", get.headers["content-length"]]);
  });

  rule(
    "D-HTTP 4, D-HTTP 14: OPTIONS answers 204 with Allow, after authentication, without CORS headers",
    async ({ http }) => {
      const reply = await http({ method: "OPTIONS", path: "/trading/halt", headers: { Origin: "http://x.test" } });
      expect([reply.status, reply.body, reply.headers.allow]).toEqual([204, "", "POST, OPTIONS"]);
      expect(Object.keys(reply.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
      expect((await http({ method: "OPTIONS", path: "/trading/halt", authorization: null })).status).toBe(401);
    },
  );
});

describe("paths of requests", () => {
  rule("D-HTTP 3: match exactly: no other case, no trailing slash", async ({ http }) => {
    for (const path of ["/Services", "/services/", "//services", "/services//", "/trading", "/", ""]) {
      expectError(await http({ path }), 404, "Not Found", "No operation has this path");
    }
  });

  rule("D-HTTP 12: each segment is decoded once", async ({ http, gate }) => {
    await http({ path: "/services/A%2FB%20%E2%82%AC%252F" });
    expect(gate.seen.at(-1)?.input).toEqual({ name: "A/B €%2F" });
    expect((await http({ path: "/%73ervices" })).status).toBe(200);
    expect((await http({ path: "/trading%2Fstatus" })).status).toBe(404);
  });

  rule("D-HTTP 1: a malformed escape is 400", async ({ http }) => {
    for (const name of ["%", "%zz", "%e2%82", "%ff"]) {
      const reply = await http({ path: `/services/${name}` });
      expectError(reply, 400, "Bad Request", `The path holds a malformed percent escape: "${name}"`);
    }
    expect((await http({ path: "/trading/status?projectionPath=%zz" })).status).toBe(400);
  });

  rule("D-HTTP 13: a target in absolute form is served", async ({ url, origin }) => {
    const status = await new Promise((resolve, reject) => {
      const { hostname, port } = new URL(origin);
      const headers = { Authorization: credentials("viewer") };
      nodeRequest({ hostname, port, path: `${url}/services`, headers }, (reply) => {
        reply.resume();
        resolve(reply.statusCode);
      })
        .once("error", reject)
        .end();
    });
    expect(status).toBe(200);
  });
});
