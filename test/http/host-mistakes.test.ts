import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Authenticator } from "../../src/auth/authenticator.ts";
import { principal } from "../../src/core/principal.ts";
import { adminMiddleware } from "../../src/http/express.ts";
import { type AdminHandlerOptions, adminHandler, guardServer } from "../../src/http/node.ts";
import { startTestRig, type TestRig } from "../../src/testing/rig.ts";
import { warningsDuring } from "../support/warnings.ts";

let rig: TestRig;
let server: Server;

beforeAll(async () => {
  rig = await startTestRig();
});
afterAll(() => rig.close());
afterEach(() => new Promise((resolve) => server?.close(resolve) ?? resolve(undefined)));

async function listening(listener: Parameters<typeof createServer>[1]): Promise<string> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Sends a command as a user of an authenticator of the host. */
async function halt(authenticator: Authenticator, authorization: string): Promise<Response> {
  const origin = await listening(adminHandler(rig.api, { authenticator }));
  return fetch(`${origin}/api/admin/v1/trading/halt`, { method: "POST", headers: { authorization } });
}

const found = (user: ReturnType<typeof principal>): Authenticator => ({
  authenticate: () => ({ kind: "principal", principal: user }),
});

/** A principal whose members are no fields of its own. */
class HostUser {
  readonly authentication = "direct";
  readonly #name = "carol";
  get name(): string {
    return this.#name;
  }
  get permissions(): ReadonlySet<"HALT_RESUME_TRADING"> {
    return new Set(["HALT_RESUME_TRADING"] as const);
  }
  permissionsNow(): ReadonlySet<"HALT_RESUME_TRADING"> {
    return this.permissions;
  }
}

describe("D-AUTH 22: the mechanism of users of the host's own authenticator is recorded", () => {
  const HALT = ["HALT_RESUME_TRADING"] as const;
  it.each([
    ["bearer, by the scheme", principal("alice", HALT), "Bearer t", "alice", "bearer"],
    ["basic, by the scheme in any case", principal("alice", HALT), "BASIC dDp0", "alice", "basic"],
    ["direct with another scheme", principal("alice", HALT), "Negotiate t", "alice", "direct"],
    [
      "what the authenticator says",
      principal("alice", HALT, { authentication: "bearer" }),
      "Basic dDp0",
      "alice",
      "bearer",
    ],
    ["that of a class of the host", new HostUser(), "Bearer t", "carol", "bearer"],
  ])("%s", async (_title, user, authorization, name, authentication) => {
    const before = rig.audit.records.length;
    const response = await halt(found(user), authorization);
    expect(response.status).toBe(200);
    expect(rig.audit.records.slice(before)).toEqual(
      Array(2).fill(expect.objectContaining({ user: name, authentication })),
    );
  });

  it("what else a host knows of a user is recorded, too", async () => {
    const before = rig.audit.records.length;
    await halt(found(principal("alice", HALT, { tokenId: "jti-1", clientId: "desk" })), "Bearer t");
    expect(rig.audit.records[before]).toMatchObject({ tokenId: "jti-1", clientId: "desk", authentication: "bearer" });
  });
});

describe("D-AUTH 22: an authenticator that does not do its part lets nobody in, and it is said why", () => {
  it.each([
    ["throws", () => JSON.parse("{"), "SyntaxError"],
    ["rejects", () => Promise.reject(new Error("directory away")), "directory away"],
    ["returns nothing", () => undefined, 'An authenticator has to return { kind: "principal", principal }'],
    ["returns a principal alone", () => principal("eve"), "An authenticator has to return"],
    ["returns a name", () => ({ kind: "principal", principal: "eve" }), "as principal(name, permissions) makes it"],
    [
      "returns permissions as a list",
      () => ({ kind: "principal", principal: { name: "eve", permissions: ["HALT_RESUME_TRADING"] } }),
      "as principal(name, permissions) makes it",
    ],
    ["returns a challenge without its text", () => ({ kind: "challenge" }), "the text of WWW-Authenticate"],
    [
      "returns a challenge of two lines",
      () => ({ kind: "challenge", challenge: "Bearer\r\nX: y" }),
      "WWW-Authenticate",
    ],
  ])("%s", async (_title, authenticate, why) => {
    // Equal warnings come once a minute.
    rig.clock.advance(60_000);
    const before = rig.audit.records.length;
    const warnings = await warningsDuring(async () => {
      const response = await halt({ authenticate } as unknown as Authenticator, "Bearer t");
      expect([response.status, await response.json()]).toEqual([
        500,
        {
          status: 500,
          error: "Internal Server Error",
          message: "Unexpected failure; details are in the monitor log",
        },
      ]);
    });
    expect(warnings.join("\n")).toContain(why);
    expect(rig.audit.records).toHaveLength(before);
  });
});

describe("options that could never work are refused when the handler is made", () => {
  const authenticator = found(principal("alice"));
  it.each([
    ["no authenticator", {}, "needs `authenticator`"],
    ["a misspelt authenticator", { authenticater: authenticator }, "needs `authenticator`"],
    ["what openSimpleAuthentication returns", { authenticator: { authenticator } }, ").authenticator"],
    [
      "a basePath without its slash",
      { authenticator, basePath: "admin" },
      'begin with a slash and not end with one, is "admin"',
    ],
    ["a basePath that ends with a slash", { authenticator, basePath: "/admin/" }, "basePath must begin"],
  ])("%s", (_title, options, message) => {
    expect(() => adminHandler(rig.api, options as unknown as AdminHandlerOptions)).toThrow(message);
    expect(() => adminMiddleware(rig.api, options as unknown as AdminHandlerOptions)).toThrow(message);
  });

  it("a basePath may be empty: then the mount point is the API's path", async () => {
    const app = express();
    app.use("/api/admin/v1", ...adminMiddleware(rig.api, { authenticator, basePath: "" }));
    const origin = await listening(app);
    expect((await fetch(`${origin}/api/admin/v1/trading/status`)).status).toBe(200);
  });
});

describe("a mount that repeats the path of the API", () => {
  it("is named in a warning at the first request that misses it, and once", async () => {
    const app = express();
    app.use("/api/admin/v1", ...adminMiddleware(rig.api, { authenticator: found(principal("alice")) }));
    const origin = await listening(app);
    const warnings = await warningsDuring(async () => {
      expect((await fetch(`${origin}/api/admin/v1/trading/status`)).status).toBe(404);
      expect((await fetch(`${origin}/api/admin/v1/services`)).status).toBe(404);
    });
    expect(warnings).toEqual([
      "adminMiddleware is mounted at /api/admin/v1, so the API is below /api/admin/v1/api/admin/v1, not /api/admin/v1\n" +
        '(mount it with app.use(...adminMiddleware(api, options)), or give it basePath: "")',
    ]);
  });

  it("a mount below another path is served without a warning", async () => {
    const app = express();
    app.use("/monitor", ...adminMiddleware(rig.api, { authenticator: found(principal("alice")) }));
    const origin = await listening(app);
    const warnings = await warningsDuring(async () => {
      expect((await fetch(`${origin}/monitor/trading/status`)).status).toBe(404);
      expect((await fetch(`${origin}/monitor/api/admin/v1/trading/status`)).status).toBe(200);
    });
    expect(warnings).toEqual([]);
  });
});

describe("adminHandler as middleware", () => {
  const authenticator = found(principal("alice"));

  it("names adminMiddleware in a warning, once: no later route is reached, and a caller is not told why", async () => {
    const app = express();
    app.use(adminHandler(rig.api, { authenticator }));
    app.get("/others", (_request, response) => void response.end("others"));
    const origin = await listening(app);
    const warnings = await warningsDuring(async () => {
      expect(await (await fetch(`${origin}/others`)).text()).not.toContain("adminMiddleware");
      expect((await fetch(`${origin}/others`)).status).toBe(404);
    });
    expect(warnings).toEqual([
      expect.stringContaining("no later route is reached: use app.use(...adminMiddleware(api, { authenticator }))"),
    ]);
  });

  it("in front of an app there is no warning", async () => {
    const app = express();
    app.get("/others", (_request, response) => void response.end("others"));
    const origin = await listening(adminHandler(rig.api, { authenticator, next: app }));
    const warnings = await warningsDuring(async () => {
      expect(await (await fetch(`${origin}/others`)).text()).toBe("others");
      expect((await fetch(`${origin}/api/admin/v1/trading/status`)).status).toBe(200);
    });
    expect(warnings).toEqual([]);
  });
});

describe("D-HTTP 44: a command that a host hands over twice is carried out once", () => {
  const user = found(principal("alice", ["HALT_RESUME_TRADING"]));
  const twice: express.RequestHandler = (_request, _response, next) => {
    next();
    next();
  };

  it("by a middleware that calls next twice, with the API mounted twice", async () => {
    const app = express();
    app.use(twice);
    app.use(...adminMiddleware(rig.api, { authenticator: user }));
    app.use(...adminMiddleware(rig.api, { authenticator: user }));
    await expectOneHalt(await listening(app));
  });

  it("by a listener that calls two of the API's", async () => {
    const listeners = [1, 2].map(() => adminHandler(rig.api, { authenticator: user }));
    await expectOneHalt(
      await listening((request, response) => {
        for (const listener of listeners) listener(request, response);
      }),
    );
  });

  async function expectOneHalt(origin: string): Promise<void> {
    const before = rig.received("haltTrading").length;
    const halt = { method: "POST", headers: { authorization: "Bearer t" } };
    expect((await fetch(`${origin}/api/admin/v1/trading/halt`, halt)).status).toBe(200);
    expect((await fetch(`${origin}/api/admin/v1/trading/status`, { headers: halt.headers })).status).toBe(200);
    expect(rig.received("haltTrading").length - before).toBe(1);
  }
});

it("a server is guarded once", () => {
  server = createServer();
  guardServer(server, rig.api);
  expect(() => guardServer(server, rig.api)).toThrow("This server is guarded already; call guardServer once");
});

it("a server that listens is not guarded, as connections that it has by now would stay without a guard", async () => {
  server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  expect(() => guardServer(server, rig.api)).toThrow("This server listens already; call guardServer before `listen`");
});
