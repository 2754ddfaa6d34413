import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Authentication } from "../../src/auth/authenticator.ts";
import { parseSettings } from "../../src/config/load.ts";
import { Availability } from "../../src/gateway/actuator/health.ts";
import { gatewayActuator } from "../../src/gateway/actuator/monitoring.ts";
import { openMonitorLog } from "../../src/gateway/log/monitor-log.ts";
import { GatewayMetrics } from "../../src/gateway/telemetry/gateway-metrics.ts";
import { startTestRig } from "../../src/testing/rig.ts";
import { type RawReply, type RawRequest, sendRaw } from "../support/raw-http.ts";
import { exchange, head } from "./connection.ts";
import { CHIEF, InstallationFolder } from "./folder.ts";
import { startHeldEngine } from "./held-engine.ts";

const HEALTH = "/actuator/health";
const LIVENESS = "/actuator/health/liveness";
const READINESS = "/actuator/health/readiness";
const PROMETHEUS = "/actuator/prometheus";
const JSON_TYPE = "application/vnd.spring-boot.actuator.v3+json";
const WRONG = `Basic ${Buffer.from("chief:wr0ng").toString("base64")}`;

let folder: InstallationFolder;
const closing: (() => Promise<void>)[] = [];

beforeEach(() => {
  folder = new InstallationFolder();
});

afterEach(async () => {
  await folder.close();
  for (const close of closing.splice(0)) await close();
});

type Ask = (path: string, request?: Partial<RawRequest>) => Promise<RawReply>;

interface Started {
  readonly managementUrl: string;
  readonly ask: Ask;
  readonly askManagement: Ask;
}

async function start(yaml = ""): Promise<Started> {
  const { url, managementUrl } = await folder.start(yaml);
  return {
    managementUrl,
    ask: (path, request = {}) => sendRaw(url, { path, ...request }),
    askManagement: (path, request = {}) => sendRaw(managementUrl, { path, ...request }),
  };
}

describe("D-GATE 23: a management port of this machine", () => {
  const asked = (host: string | undefined): string =>
    [`GET ${PROMETHEUS} HTTP/1.1`, `Host: ${host}`, "Connection: close", "", ""].join("\r\n");

  it("answers only requests that name it localhost or an IP address, so no page of a name that resolves to it reads it", async () => {
    const { managementUrl } = await start("management.server.port: 0\n");
    for (const host of ["evil.example", "evil.example:8990", "localhost.evil.example", "127.0.0.1.nip.io", "gateway"]) {
      const reply = await exchange(managementUrl, asked(host));
      expect(reply).toMatch(/^HTTP\/1\.1 400 [\s\S]*"The header Host must be localhost or an IP address"/);
    }
    for (const host of ["127.0.0.1:8990", "localhost", "LOCALHOST:80", "[::1]:8990", "10.1.2.3", ""]) {
      expect(await exchange(managementUrl, asked(host))).toMatch(/^HTTP\/1\.1 200 /);
    }
  });

  it("is not limited to these names where it listens for other machines", async () => {
    const { managementUrl } = await start('management.server: { port: 0, address: "0.0.0.0" }\n');
    const { port } = new URL(managementUrl);
    expect(await exchange(`http://127.0.0.1:${port}`, asked("gateway.trading.svc"))).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe("health in the shapes of Spring Boot's actuator", () => {
  it("has liveness and readiness without credentials, which say no more than UP", async () => {
    const { ask } = await start();
    for (const path of [LIVENESS, READINESS]) {
      const { status, headers, body } = await ask(path);
      expect({ status, body }).toEqual({ status: 200, body: '{"status":"UP"}' });
      expect(headers).toMatchObject({ "content-type": JSON_TYPE, "cache-control": "no-store" });
    }
  });

  it("has no details without credentials", async () => {
    const { ask } = await start();
    const { status, body } = await ask(HEALTH);
    expect({ status, body }).toEqual({ status: 200, body: '{"status":"UP","groups":["liveness","readiness"]}' });
  });

  it("shows users of the API engine, audit and authentication", async () => {
    const { ask } = await start();
    const { status, body } = await ask(HEALTH, { authorization: CHIEF });
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual({
      status: "UP",
      components: {
        engine: { status: "UP", details: { link: "up", engine: expect.stringContaining("simulator") } },
        audit: { status: "UP", details: { pendingRecords: 0 } },
        authentication: { status: "UP", details: { mechanism: expect.stringContaining("SIMPLE") } },
      },
      groups: ["liveness", "readiness"],
    });
  });

  it("has no body for HEAD, ignores a query, and matches paths exactly", async () => {
    const { ask } = await start();
    expect(await ask(LIVENESS, { method: "HEAD" })).toMatchObject({
      status: 200,
      headers: { "content-length": "15" },
      body: "",
    });
    expect((await ask(`${LIVENESS}?at=1`)).status).toBe(200);
    for (const path of ["/actuator", `${LIVENESS}/`, `${HEALTH}/engine`, "/Actuator/health", "/actuator/env"]) {
      expect({ path, status: (await ask(path, { authorization: CHIEF })).status }).toEqual({ path, status: 404 });
    }
  });

  it.each(["POST", "PUT", "DELETE", "OPTIONS"])("refuses %s with 405 and Allow", async (method) => {
    const { ask } = await start();
    for (const path of [HEALTH, LIVENESS, READINESS, PROMETHEUS]) {
      const { status, headers, body } = await ask(path, { method, authorization: CHIEF });
      expect({ path, status, allow: headers.allow }).toEqual({ path, status: 405, allow: "GET, HEAD" });
      expect(JSON.parse(body)).toMatchObject({ status, error: "Method Not Allowed" });
    }
  });
});

describe("D-GATE 10: access to metrics and details", () => {
  it("needs the API's credentials on the port of the API", async () => {
    const { ask } = await start();
    for (const authorization of [null, WRONG, "Bearer a.b.c"]) {
      const { status, headers, body } = await ask(PROMETHEUS, { authorization });
      expect({ status, body }).toEqual({ status: 401, body: "" });
      expect(headers["www-authenticate"]).toBe('Basic realm="trading-admin", charset="UTF-8"');
    }
    expect((await ask(PROMETHEUS, { authorization: CHIEF })).status).toBe(200);
  });

  it("is refused with 401 for wrong credentials, not treated as without, and counts as a failed login", async () => {
    const { ask } = await start();
    expect((await ask(HEALTH, { authorization: WRONG })).status).toBe(401);
    const { body } = await ask(PROMETHEUS, { authorization: CHIEF });
    expect(body).toContain('trading_admin_failed_logins_total{result="refused"} 1\n');
  });

  it("slows guessing as the API does: both count each other's failures", async () => {
    const { ask } = await start();
    const guess = (path: string, count: number): Promise<RawReply>[] =>
      Array.from({ length: count }, (_, n) => {
        const authorization = `Basic ${Buffer.from(`chief:guess ${path} ${n}`).toString("base64")}`;
        return ask(path, { authorization });
      });
    // Of one address 64 may wait: each path alone would refuse none.
    const replies = await Promise.all([...guess(HEALTH, 60), ...guess("/api/admin/v1/services", 60)]);
    const counts = (status: number): number => replies.filter((reply) => reply.status === status).length;
    expect(counts(401) + counts(429)).toBe(120);
    expect(counts(429)).toBeGreaterThan(0);
    expect((await ask(LIVENESS)).status).toBe(200);
  });

  it("is refused by a closed API, which is alive and ready", async () => {
    const { ask } = await start("security.oauth2.authenticationType: NONE");
    for (const path of [PROMETHEUS, HEALTH]) {
      expect((await ask(path, { authorization: CHIEF })).status).toBe(403);
    }
    expect(await ask(HEALTH)).toMatchObject({ status: 503, body: expect.stringContaining('"OUT_OF_SERVICE"') });
    for (const path of [LIVENESS, READINESS]) expect((await ask(path)).status).toBe(200);
  });

  it("is possible with admin.api.enabled: false", async () => {
    const { ask } = await start("admin.api.enabled: false");
    for (const path of [LIVENESS, READINESS, HEALTH]) expect((await ask(path)).status).toBe(200);
    expect((await ask(PROMETHEUS, { authorization: CHIEF })).status).toBe(200);
  });
});

describe("D-GATE 10: a separate port (management.server.port)", () => {
  it("has the paths of the actuator, and only it has; metrics need no credentials there", async () => {
    const { ask, askManagement, managementUrl } = await start("management.server.port: 0");
    for (const path of [HEALTH, LIVENESS, READINESS, PROMETHEUS]) {
      expect((await ask(path, { authorization: CHIEF })).status).toBe(404);
      expect((await askManagement(path)).status).toBe(200);
    }
    const call = head("GET", "/services", `Authorization: ${CHIEF}`, "Connection: close").replace(
      "Host: x",
      "Host: localhost",
    );
    expect(await exchange(managementUrl, call)).toMatch(/^HTTP\/1\.1 404 /);
  });

  it("needs credentials for details there, too", async () => {
    const { askManagement } = await start("management.server.port: 0");
    expect(JSON.parse((await askManagement(HEALTH)).body).components).toBeUndefined();
    const { components } = JSON.parse((await askManagement(HEALTH, { authorization: CHIEF })).body);
    expect(Object.keys(components)).toEqual(["engine", "audit", "authentication"]);
    expect((await askManagement(HEALTH, { authorization: WRONG })).status).toBe(401);
  });

  it("stops the start if it is taken, names the setting and leaves nothing behind", async () => {
    const { url } = await folder.start("");
    const { port } = new URL(url);
    const audit = `admin.audit.file: ${folder.file("audit.jsonl")}`;
    const failing = folder.start(`management.server.port: ${port}\n${audit}`);
    await expect(failing).rejects.toThrow(
      `Cannot listen on 127.0.0.1:${port}: the port is in use; stop the other program or set management.server.port, as with --management.server.port=9000 (npm start -- --management.server.port=9000)`,
    );
    // The audit file is free again.
    await folder.start(audit);
  });
});

describe("D-GATE 10: a management port beyond this machine, which has no TLS, accepts no credentials", () => {
  it.each([
    ["127.0.0.1", true],
    ["localhost", true],
    ["::1", true],
    ["0.0.0.0", false],
    ["::", false],
    ["10.1.2.3", false],
  ])("unless %s: credentials are read: %s", async (address, looked) => {
    const rig = await startTestRig();
    closing.push(() => rig.close());
    const metrics = new GatewayMetrics();
    const text = `management: { server: { port: 8989, address: "${address}" } }`;
    const asked: unknown[] = [];
    const principal = { name: "chief", permissions: new Set<never>(), authentication: "basic" } as const;
    const authenticate = (authorization: string | undefined): Authentication => {
      asked.push(authorization);
      return { kind: "principal", principal };
    };
    const parts = {
      settings: parseSettings(text, folder.file("application.yaml")),
      log: openMonitorLog(2),
      api: rig.api,
      engine: "a test's",
      audit: metrics.audit(rig.audit, true),
      authentication: { authenticator: { authenticate }, description: "a test's", users: [], close: () => {} },
      tls: undefined,
    };
    const actuator = gatewayActuator(parts, metrics, new Availability());
    const answer = await actuator({
      method: "GET",
      target: HEALTH,
      address: "10.1.2.4",
      header: (name) => (name === "authorization" ? CHIEF : undefined),
      readBody: () => Promise.reject(new Error("nobody wants the body")),
    });
    expect(asked).toEqual(looked ? [CHIEF] : []);
    expect(answer?.status).toBe(200);
    expect(JSON.parse(String(answer?.body)).components !== undefined).toBe(looked);
  });
});

describe("D-GATE 6: readiness is about this gateway, not about what all gateways share", () => {
  it("an engine that is unavailable makes health DOWN, and leaves the gateway alive and ready", async () => {
    const engine = await startHeldEngine();
    closing.push(() => engine.close());
    const { ask } = await start(engine.settings);
    await expect.poll(async () => (await ask(HEALTH)).status).toBe(200);
    await engine.close();
    await expect.poll(async () => (await ask(HEALTH)).status).toBe(503);
    expect(JSON.parse((await ask(HEALTH)).body)).toMatchObject({ status: "DOWN" });
    const { components } = JSON.parse((await ask(HEALTH, { authorization: CHIEF })).body);
    expect(components.engine).toMatchObject({ status: "DOWN", details: { link: "down" } });
    for (const path of [LIVENESS, READINESS]) expect((await ask(path)).status).toBe(200);
  });

  it("audit records that cannot be kept make health DOWN, and leave the gateway ready", async () => {
    const { url } = await folder.start("", "/dev/full");
    const headers = { "Content-Type": "application/json" };
    const halt = { method: "POST", path: "/api/admin/v1/trading/halt", headers, body: "{}", authorization: CHIEF };
    expect((await sendRaw(url, halt)).status).toBe(200);
    const { status, body } = await sendRaw(url, { path: HEALTH, authorization: CHIEF });
    expect(status).toBe(503);
    expect(JSON.parse(body)).toMatchObject({ status: "DOWN", components: { audit: { status: "DOWN" } } });
    expect((await sendRaw(url, { path: READINESS })).status).toBe(200);
  });

  it("a gateway that shuts down is not ready immediately, while a request is still in progress", async () => {
    const engine = await startHeldEngine();
    closing.push(() => engine.close());
    const gateway = await folder.start(`${engine.settings}management.server.port: 0`);
    const readiness = (): Promise<RawReply> => sendRaw(gateway.managementUrl, { path: READINESS });
    await expect.poll(async () => (await sendRaw(gateway.managementUrl, { path: HEALTH })).status).toBe(200);
    expect(await readiness()).toMatchObject({ status: 200 });
    engine.gate.hold();
    const read = sendRaw(gateway.url, { path: "/api/admin/v1/services", authorization: CHIEF });
    await expect.poll(() => engine.gate.seen.length).toBe(1);
    const closed = gateway.close();
    expect(await readiness()).toMatchObject({ status: 503, body: '{"status":"OUT_OF_SERVICE"}' });
    expect((await sendRaw(gateway.managementUrl, { path: LIVENESS })).status).toBe(200);
    engine.gate.release();
    expect((await read).status).toBe(200);
    await closed;
    await expect(readiness()).rejects.toThrow("ECONNREFUSED");
  });
});
