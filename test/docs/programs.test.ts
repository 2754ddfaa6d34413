import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import express from "express";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ErrorBody } from "../../src/core/errors.ts";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { serveEngine } from "../../src/engine/serve.ts";
import { loadInstallation } from "../../src/engine/simulated/installation.ts";
import { SimulatedEngine } from "../../src/engine/simulated/simulated-engine.ts";
import { sampleInstallation } from "../../src/files/package-files.ts";
import { adminHandler } from "../../src/http/node.ts";
import { DEMO_LANDMARKS } from "../../src/testing/conformance/engine-fixture.ts";
import { MemoryAudit, startTestRig } from "../../src/testing/rig.ts";
import { openWebSocketBus } from "../../transports/websocket.ts";
import { judge } from "../conformance/judged.ts";
import { credentials, openSuiteAuthentication } from "../support/access-files.ts";
import { readText } from "./bus-files.ts";
import { sessionAuthenticator } from "./snippets/authenticator.ts";
import { serveConsole } from "./snippets/console.ts";
import { haltGold } from "./snippets/direct.ts";
import { afterParser, inFront, mounted, tokenRoute } from "./snippets/express.ts";
import { serve as serveFastify } from "./snippets/fastify.ts";
import { KillSwitch, serve as serveBus } from "./snippets/kill-switch.ts";
import { openApi } from "./snippets/own-engine.ts";

const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function parts() {
  const [rig, access] = [await startTestRig(), await openSuiteAuthentication()];
  cleanUps.push(rig.close, access.close);
  return { api: rig.api, authenticator: access.authenticator, secret: "of the host", port: 0 };
}

/** The address of a server that closes when the test ends. */
async function originOf(server: Server): Promise<string> {
  cleanUps.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  if (!server.listening) await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Asks for the status as a user of the suites, and says what a session or a compression would have added. */
async function askApi(url: string, authorization = credentials("chief")) {
  const response = await fetch(`${url}/api/admin/v1/trading/status`, { headers: { authorization } });
  const { status, headers } = response;
  return {
    status,
    halted: ((await response.json()) as { halted: boolean }).halted,
    cookie: headers.get("set-cookie"),
    encoding: headers.get("content-encoding"),
  };
}

const UNTOUCHED = { status: 200, halted: false, cookie: null, encoding: null };

describe("programs of docs/embed", () => {
  it("Express behind the API keeps its sessions, and the API has none", async () => {
    const origin = await originOf(inFront(await parts()));
    expect(await askApi(origin)).toEqual(UNTOUCHED);
    expect((await fetch(`${origin}/whoami`)).headers.get("set-cookie")).toMatch(/^connect\.sid=/);
  });

  it("Express with the API mounted first below a path does so too", async () => {
    const origin = await originOf(mounted(await parts()));
    expect(await askApi(`${origin}/monitor`)).toEqual(UNTOUCHED);
    expect((await fetch(`${origin}/whoami`)).headers.get("set-cookie")).toMatch(/^connect\.sid=/);
  });

  it("behind a body parser the API still finds a duplicate key", async () => {
    const origin = await originOf(afterParser(await parts()));
    const headers = { authorization: credentials("chief"), "content-type": "application/json" };
    const body = '{"reason":"a","reason":"b"}';
    const response = await fetch(`${origin}/api/admin/v1/trading/halt`, { method: "POST", headers, body });
    expect([response.status, ((await response.json()) as ErrorBody).message]).toEqual([
      400,
      expect.stringContaining("reason"),
    ]);
  });

  it("Fastify serves what is not the API's", async () => {
    const { api, authenticator, port } = await parts();
    const app = await serveFastify(api, authenticator, port);
    cleanUps.push(() => app.close());
    const origin = app.listeningOrigin;
    expect(await askApi(origin)).toEqual(UNTOUCHED);
    expect(await (await fetch(`${origin}/whoami`)).json()).toEqual({ name: "monitor" });
  });

  it("a host's own console says which installation it is", async () => {
    const { api, authenticator, port } = await parts();
    const origin = await originOf(serveConsole(api, authenticator, port));
    const headers = { authorization: credentials("chief") };
    const [page, records] = await Promise.all(
      ["/console", "/console/records.json"].map((path) => fetch(`${origin}${path}`, { headers })),
    );
    expect(await page?.text()).toContain("<title>LONDON PROD");
    expect(await records?.json()).toEqual({ stops: [], commands: [] });
  });

  it("users of the host are asked for their own token", async () => {
    const host = { ...(await parts()), authenticator: sessionAuthenticator(new Map([["t-1", "mia"]])) };
    const origin = await originOf(inFront(host));
    expect(await askApi(origin, "Bearer t-1")).toEqual(UNTOUCHED);
    const refused = await fetch(`${origin}/api/admin/v1/services`, { headers: { authorization: "Bearer t-2" } });
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="monitor"']);
  });

  it("a user with a session of the host is issued a token, which the API accepts; nobody else is", async () => {
    const tokens = new Map<string, string>();
    const app = express();
    tokenRoute(app, tokens, (request) => (request.headers.cookie === "session=mia" ? "mia" : undefined));
    const { api } = await parts();
    const authenticator = sessionAuthenticator(tokens);
    const server = createServer(adminHandler(api, { authenticator, next: app })).listen(0, "127.0.0.1");
    const origin = await originOf(server);
    const ask = (cookie: string) => fetch(`${origin}/admin-token`, { method: "POST", headers: { cookie } });
    expect((await ask("session=eve")).status).toBe(401);
    const { token } = (await (await ask("session=mia")).json()) as { token: string };
    expect(await askApi(origin, `Bearer ${token}`)).toEqual(UNTOUCHED);
  });

  it("a call in the process needs no HTTP", async () => {
    const { api } = await parts();
    expect(await haltGold(api)).toBe("accepted");
  });
});

describe("programs of docs/engine", () => {
  it("the kill switch halts paths one by one, and rejects what it does not know", async () => {
    const simulated = new SimulatedEngine(await loadInstallation(sampleInstallation()));
    const killSwitch = new KillSwitch(new Set(["GOLD"]));
    const engine: Engine = Object.assign(simulated, killSwitch);
    const bus = await serveBus(engine, 0, "token of the engine");
    cleanUps.push(() => bus.close());
    expect(bus.url).toMatch(/^ws:\/\/127\.0\.0\.1:\d+$/);
    const context = { user: "alice", requestId: "r-1", deadline: Date.now() + 10_000 };
    const halt = { projectionPath: "Account[GOLD]", reason: "drill", cancelOrders: false };
    expect(await engine.haltTrading(halt, context)).toBeNull();
    const { projectionPath } = halt;
    expect(await engine.getTradingStatus({ projectionPath }, context)).toMatchObject({
      halted: true,
      reason: "drill",
    });
    expect(await engine.getTradingStatus({ projectionPath: "" }, context)).toMatchObject({
      halted: false,
      reason: null,
    });
    const unknown = { ...halt, projectionPath: "Account[GLOD]" };
    expect(() => engine.haltTrading(unknown, context)).toThrow('Unknown account "GLOD"');
  });

  it("D-TEST 11: the documented kill switch passes the conformance kit", async () => {
    const killSwitch = new KillSwitch(new Set(["GOLD", "A]B"])) as unknown as Engine;
    const { passed, failed } = await judge(killSwitch, DEMO_LANDMARKS);
    expect(failed).toEqual({});
    expect(passed.filter((name) => name.startsWith("trading: "))).toHaveLength(10);
  });

  it("a part of an engine within the host's process: what it does not do is refused, and nothing is changed", async () => {
    const audit = new MemoryAudit();
    const api = await openApi(new KillSwitch(new Set(["GOLD"])), audit);
    cleanUps.push(() => api.close());
    const chief = api.as(principal("chief", PERMISSIONS));
    await chief.haltTrading({ projectionPath: "Account[GOLD]" });
    expect(await chief.getTradingStatus({ projectionPath: "Account[GOLD]" })).toMatchObject({ halted: true });
    await expect(chief.enableService({ name: "SIM" })).rejects.toMatchObject({
      status: 400,
      message: "The engine does not support enableService",
    });
    expect(audit.stages).toEqual(["intent", "applied", "intent", "rejected"]);
  });
});

/** Starts the program of README.md with other places; it closes when the test ends, or before. */
async function startHost(folder: string, directory: string, url: string) {
  const places: Readonly<Record<string, string>> = {
    '"ws://127.0.0.1:8989"': JSON.stringify(url),
    '"audit.jsonl"': JSON.stringify(join(folder, "audit.jsonl")),
    '"config"': JSON.stringify(directory),
    "guardServer(createServer": "export const server = guardServer(createServer",
    "listen(8988, ": "listen(0, ",
  };
  const program = Object.entries(places).reduce((text, [from, to]) => {
    expect(text).toContain(from);
    return text.replace(from, to);
  }, readText("test/docs/snippets/host.ts"));
  const file = join(folder, `host-${cleanUps.length}.ts`);
  writeFileSync(file, `${program}\nexport { access, api, audit, transport };\n`);
  const host = await import(/* @vite-ignore */ file);
  const close = async (): Promise<void> => {
    await Promise.all([host.access.close(), host.api.close()]);
    await host.audit.close();
  };
  cleanUps.push(close);
  return { ...host, close };
}

/** An engine on a WebSocket, which knows nothing of what was stopped before. */
async function startEngine() {
  const bus = await openWebSocketBus({ host: "127.0.0.1", port: 0 });
  cleanUps.push(() => bus.close());
  await serveEngine(new SimulatedEngine(await loadInstallation(sampleInstallation())), bus);
  return bus;
}

describe("the program of README.md", () => {
  let folder: string;
  let directory: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "trading-admin-host-"));
    const access = await openSuiteAuthentication();
    directory = access.directory;
    cleanUps.push(() => rmSync(folder, { recursive: true }), access.close);
  });

  it("serves the API for an engine on a WebSocket, and keeps its records in a file", async () => {
    const { url } = await startEngine();
    const host = await startHost(folder, directory, url);
    const origin = await originOf(host.server);
    await expect.poll(() => host.transport.state).toBe("up");
    expect(await askApi(origin)).toEqual(UNTOUCHED);
    await host.api.as(principal("chief", ["HALT_RESUME_TRADING"])).haltTrading({ reason: "drill" });
    expect(readFileSync(join(folder, "audit.jsonl"), "utf8").match(/"stage":"\w+"/g)).toEqual([
      '"stage":"intent"',
      '"stage":"applied"',
    ]);
  });

  it("D-ENG 19: restarted, it says that the engine has forgotten a halt from before, as its audit file has it", async () => {
    const before = await startHost(folder, directory, (await startEngine()).url);
    await expect.poll(() => before.transport.state).toBe("up");
    await before.api.as(principal("chief", ["HALT_RESUME_TRADING"])).haltTrading({ reason: "drill" });
    await before.close();
    const host = await startHost(folder, directory, (await startEngine()).url);
    const told: string[] = [];
    host.api.on("stateLost", ({ message }: { message: string }) => told.push(message));
    await expect.poll(() => told).toHaveLength(1);
    expect(told[0]).toMatch(/^Trading is no longer halted at the engine \(halted .* by chief: drill\)$/);
  });
});
