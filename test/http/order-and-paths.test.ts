import { request as nodeRequest } from "node:http";
import { describe, expect } from "vitest";
import { operationNames, operations } from "../../src/core/operations/table.ts";
import { lackWords } from "../../src/core/principal.ts";
import { credentials } from "../support/access-files.ts";
import type { RawRequest } from "../support/raw-http.ts";
import type { HttpWorld } from "../support/world.ts";
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

  rule("D-HTTP 4: HEAD is answered as GET would be, also where nobody has sent that before", async ({ http }) => {
    for (const path of ["/services", "/services/SIM", "/trading/status?projectionPath="]) {
      const { status, headers, body } = await http({ method: "HEAD", path });
      expect([path, status, body]).toEqual([path, 200, ""]);
      const got = await http({ path });
      expect(headers["content-length"]).toBe(String(Buffer.byteLength(got.body)));
      expect(headers.etag).toBe(got.headers.etag);
    }
  });

  rule("403 goes before the body is looked at", async ({ http }) => {
    const authorization = credentials("viewer");
    const message = lackWords("viewer", "HALT_RESUME_TRADING");
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

  rule(
    "D-HTTP 3: none of an operation's own letters may be escaped: rules of a proxy would not see it",
    async ({ http, gate }) => {
      const seen = gate.seen.length;
      for (const name of operationNames) {
        const { path, method } = operations[name];
        for (const segment of path.split("/").filter((text) => text && !text.startsWith("{"))) {
          const escaped = `%${segment.charCodeAt(0).toString(16)}${segment.slice(1)}`;
          const spelled = path.replace(segment, escaped).replaceAll(/\{\w+\}/g, "TWAP");
          expectError(await http({ path: spelled, method }), 404, "Not Found", "No operation has this path");
        }
      }
      expect((await http({ path: "/trading%2Fstatus" })).status).toBe(404);
      expect(gate.seen.length).toBe(seen);
    },
  );

  rule("D-HTTP 12: each name in a path is decoded once", async ({ http, gate }) => {
    await http({ path: "/services/A%2FB%20%E2%82%AC%252F" });
    expect(gate.seen.at(-1)?.input).toEqual({ name: "A/B €%2F" });
    await http({ path: "/services/%54WAP" });
    expect(gate.seen.at(-1)?.input).toEqual({ name: "TWAP" });
  });

  rule("D-HTTP 1: a malformed escape is 400", async ({ http }) => {
    for (const name of ["%", "%zz", "%e2%82", "%ff"]) {
      const reply = await http({ path: `/services/${name}` });
      expectError(reply, 400, "Bad Request", `The path holds a malformed percent escape: "${name}"`);
    }
    expect((await http({ path: "/trading/status?projectionPath=%zz" })).status).toBe(400);
  });

  rule("D-HTTP 13: a target in absolute form is served", async (world) => {
    const { hostname, port } = new URL(world.origin);
    for (const authority of [hostname, `${hostname}:${port}`, "[::1]", "[::1]:80", "admin.example:"]) {
      expect(await statusOf(world, `http://${authority}`), authority).toBe(200);
    }
  });

  rule(
    "D-HTTP 13: not where servers differ in where its path begins: a host's rules would see another path",
    async (world) => {
      for (const authority of ["x%", "x;", "x:y", "a:b:c", "x'", "x@y", "[::1", "[x]", ""]) {
        expect(await statusOf(world, `http://${authority}`), authority).toBe(404);
      }
    },
  );
});

/** Status of a read whose target is in absolute form. */
function statusOf({ url, origin }: HttpWorld, authority: string): Promise<number | undefined> {
  const { hostname, port } = new URL(origin);
  const path = `${authority}${new URL(url).pathname}/services`;
  return new Promise((resolve, reject) => {
    nodeRequest({ hostname, port, path, headers: { Authorization: credentials("viewer") } }, (reply) => {
      reply.resume();
      resolve(reply.statusCode);
    })
      .once("error", reject)
      .end();
  });
}
