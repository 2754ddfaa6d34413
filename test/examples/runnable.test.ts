import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { DEMO_LANDMARKS } from "../../src/testing/conformance/engine-fixture.ts";
import { engineConformance } from "../../src/testing/conformance/kits.ts";
import { ROOT } from "../package/build.ts";
import type { Consumer, Ended } from "../package/consumer.ts";
import { openSuiteAuthentication } from "../support/access-files.ts";
import { exampleSource, installExample, type Start, serveExample } from "./example.ts";
import { dial } from "./python-engine-gateway.ts";
import type { ServingProcess } from "./serving-process.ts";

const API = "/api/admin/v1";
const ALICE = basic("alice", "wonderland");

const closing: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

async function serve(name: string, start?: Start): Promise<ServingProcess> {
  const example = await serveExample(name, start);
  closing.push(() => example.close());
  return example;
}

function install(name: string): Consumer {
  const { consumer } = installExample(name);
  closing.push(() => consumer.close());
  return consumer;
}

function send(origin: string, method: string, path: string, authorization?: string): Promise<Response> {
  return fetch(`${origin}${path}`, { method, headers: authorization === undefined ? {} : { authorization } });
}

describe("express.mjs", () => {
  it("keeps sessions and compression for the monitor, and resumes trading with two people", async () => {
    const { url: origin, output, terminate } = await serve("express.mjs");
    const visit = await send(origin, "GET", "/");
    expect([await visit.json(), visit.headers.get("set-cookie")]).toEqual([
      { visits: 1 },
      expect.stringContaining("sid"),
    ]);
    const halted = await send(origin, "POST", `${API}/trading/halt`, ALICE);
    expect([halted.status, halted.headers.get("set-cookie")]).toEqual([200, null]);
    // A request that was made before the engine showed the halt is void once it does.
    const status = async () => (await send(origin, "GET", `${API}/trading/status`, ALICE)).json();
    await expect.poll(status).toMatchObject({ halted: true });
    const first = await send(origin, "POST", `${API}/trading/resume`, ALICE);
    expect([first.status, ((await first.json()) as { message: string }).message]).toEqual([
      403,
      expect.stringContaining('needs a second person: requested by "alice"'),
    ]);
    const second = await send(origin, "POST", `${API}/trading/resume`, basic("bob", "builder"));
    expect(second.status).toBe(200);
    expect((await send(origin, "GET", `${API}/trading/status`, basic("bob", "wrong"))).status).toBe(401);
    expect(output()).toContain('"requestedBy":"alice"');
    expect(await terminate()).toBe(0);
  });
});

describe("fastify.mjs", () => {
  it("serves the API in front of Fastify's own routes", async () => {
    const { url: origin, terminate } = await serve("fastify.mjs");
    expect(await (await send(origin, "GET", "/")).json()).toEqual({ monitor: "here" });
    expect((await send(origin, "POST", `${API}/trading/halt`, ALICE)).status).toBe(200);
    expect((await send(origin, "GET", `${API}/services`)).status).toBe(401);
    expect(await terminate()).toBe(0);
  });
});

describe("node-http.mjs", () => {
  it("takes a token and HTTP Basic, and refuses the rest with both challenges", async () => {
    const { url: origin, terminate } = await serve("node-http.mjs", { environment: { ADMIN_TOKEN: "s3cret" } });
    const status = async (authorization?: string): Promise<number> =>
      (await send(origin, "GET", `${API}/trading/status`, authorization)).status;
    expect([await status("Bearer s3cret"), await status(ALICE), await status("Bearer wrong")]).toEqual([200, 200, 401]);
    const refused = await send(origin, "GET", `${API}/services`);
    expect(refused.headers.get("www-authenticate")).toBe('Bearer, Basic realm="operations", charset="UTF-8"');
    expect(await terminate()).toBe(0);
  });
});

describe("gateway-and-engine.mjs", () => {
  it("starts the engine in its own process, and both end together", async () => {
    const files = await openSuiteAuthentication();
    closing.push(() => files.close());
    const { url: origin, terminate } = await serve("gateway-and-engine.mjs", { args: [files.directory] });
    const chief = basic("chief", "password of chief");
    await expect.poll(async () => (await send(origin, "POST", `${API}/trading/halt`, chief)).status).toBe(200);
    expect((await send(origin, "POST", `${API}/trading/resume`, chief)).status).toBe(403);
    expect(await terminate()).toBe(0);
  });
});

describe("own-engine.mjs", () => {
  it("is an engine of at most 45 lines of code", () => {
    const code = exampleSource("own-engine.mjs")
      .split("\n")
      .filter((line) => line.trim() !== "" && !line.startsWith("//"));
    expect(code.length).toBeLessThanOrEqual(45);
  });

  it("halts for a caller of an API that reaches it, and rejects what it does not do", async () => {
    const { output, terminate } = await serve("own-engine.mjs", {
      environment: { ENGINE_TOKEN: "a-token-of-the-test" },
    });
    const [url] = /ws:\S+/.exec(output()) ?? [];
    const caller = install("own-engine.mjs");
    const program = `
      import { AdminApi, principal, PERMISSIONS } from "trading-admin-api";
      import { WebSocketTransport } from "trading-admin-api/transports/websocket";
      const transport = new WebSocketTransport({ url: ${JSON.stringify(url)}, token: "a-token-of-the-test" });
      const api = new AdminApi({ transport, audit: { write() {} } });
      await api.start();
      while (api.linkState !== "up") await new Promise((resolve) => setTimeout(resolve, 10));
      const calls = api.as(principal("alice", PERMISSIONS));
      await calls.haltTrading({ reason: "drill" });
      console.log(JSON.stringify(await calls.getTradingStatus()));
      await calls.listFixGateways().catch(({ status, message }) => console.log(status, message));
      await api.close();`;
    const { code, stdout, stderr } = await caller.node(caller.write("caller.mjs", program));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.split("\n")).toEqual([
      '{"projectionPath":"","halted":true,"reason":"drill"}',
      "400 The engine does not support listFixGateways",
      "",
    ]);
    expect(await terminate()).toBe(0);
  });

  it("passes the conformance kit in what it has, and refuses the rest as unsupported", async () => {
    const token = "a-token-of-the-test";
    const { output } = await serve("own-engine.mjs", { environment: { ENGINE_TOKEN: token } });
    const url = /ws:\S+/.exec(output())?.[0] ?? "";
    const landmarks = { haltPath: DEMO_LANDMARKS.haltPath, oddHaltPath: DEMO_LANDMARKS.oddHaltPath };
    const cases = engineConformance(async () => {
      const transport = await dial({ url, token });
      return { transport, close: () => transport.close() };
    }, landmarks);
    const passed: string[] = [];
    const lacks = new Set<string>();
    for (const { name, run } of cases) {
      const reason = await run();
      if (reason === undefined) passed.push(name);
      else for (const part of reason.split(", ")) lacks.add(part);
    }
    const subjects = new Set(passed.map((name) => name.split(":")[0]));
    expect([...subjects]).toEqual(
      expect.arrayContaining(["trading", "deadline", "order", "clock ahead", "clock behind"]),
    );
    expect(passed.filter((name) => name.startsWith("trading: "))).toEqual(
      cases.flatMap(({ name }) => (name.startsWith("trading: ") ? name : [])),
    );
    expect(lacks).toContain("no listFixGateways");
    expect([...lacks].filter((part) => /Trading/.test(part))).toEqual([]);
  });
});

describe("policy.mjs", () => {
  it("prints what each caller is told", async () => {
    const { code, stdout, stderr } = await install("policy.mjs").node("policy.mjs");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.trim().split("\n")).toEqual([
      "trader updateRiskTable: sent",
      "trader updateRiskTable: 403 only riskdesk may raise limits",
      "riskdesk updateRiskTable: sent",
      "monitor haltTrading: sent",
      'monitor resumeTrading: 403 resumeTrading is refused: user "monitor" may only stop (halt, disable, disconnect)',
      'trader resumeTrading: 403 resumeTrading system-wide needs a second person: requested by "trader"; another user must send the same command',
      "riskdesk resumeTrading: sent",
    ]);
  });
});

describe("harness.mjs", () => {
  const FILES = ["harness.mjs", "harness.node.test.mjs", "harness.vitest.test.mjs"];

  function installHarness(): Consumer {
    const consumer = install("harness.mjs");
    for (const name of FILES) consumer.write(name, exampleSource(name));
    return consumer;
  }

  it("runs with node:test", async () => {
    const { code, stdout } = await installHarness().node("--test", "harness.node.test.mjs");
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/pass 3\b/) });
  });

  it("runs with vitest", async () => {
    const vitest = "node_modules/vitest/vitest.mjs";
    const consumer = installHarness();
    // The package is linked here; installed, it is below node_modules.
    consumer.write("vitest.config.mjs", "export default { resolve: { preserveSymlinks: true } };");
    const { code, stdout } = await consumer.node(vitest, "run", "harness.vitest.test.mjs");
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/3 passed/) });
  });
});

describe("scripts against a gateway", () => {
  async function run(name: string, environment: Readonly<Record<string, string>>): Promise<Ended> {
    const files = await openSuiteAuthentication();
    closing.push(() => files.close());
    const server = await serveGateway(files.directory);
    const user = { ADMIN_URL: server.url, ADMIN_USER: "chief", ADMIN_PASSWORD: "password of chief" };
    return install(name).nodeWith({ ...user, ...environment }, name);
  }

  /** A gateway with the sample installation. */
  async function serveGateway(accessFiles: string): Promise<ServingProcess> {
    return serve("embed-express", { args: [accessFiles] });
  }

  it("risk-monitor.mjs halts an account whose loss is too large, once", async () => {
    // Any account has lost more than this much of a negative limit.
    const { code, stdout, stderr } = await run("risk-monitor.mjs", {
      MAX_LOSS: "-1e15",
      ROUNDS: "20",
      INTERVAL_MS: "100",
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const halted = stdout.trim().split("\n");
    expect(halted.every((line) => /^halted Account\[\w+\]$/.test(line))).toBe(true);
    expect(new Set(halted).size).toBe(halted.length);
  });

  it("start-of-day.mjs says what is missing, and exits with 1", async () => {
    const { code, stderr } = await run("start-of-day.mjs", {});
    expect([code, stderr]).toEqual([1, expect.stringContaining("not ready: XETRA1 is enabled and not connected")]);
  });
});

it("pin: every example that runs as it is has a test here, beside its page, or where a fresh project is installed", () => {
  const names = readdirSync(join(ROOT, "examples")).filter((name) => name.endsWith(".mjs"));
  const files = [import.meta.url, "../docs/one-process.test.ts", "../install/fresh-project.test.ts"];
  const tests = files.map((file) => readFileSync(new URL(file, import.meta.url), "utf8")).join("");
  for (const name of names) expect(tests, name).toContain(`"${name}"`);
});
