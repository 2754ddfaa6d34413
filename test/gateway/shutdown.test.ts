import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Availability } from "../../src/gateway/actuator/health.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { openWebSocketBus } from "../../transports/websocket.ts";
import { Connection, head } from "./connection.ts";
import { CHIEF, InstallationFolder } from "./folder.ts";

let folder: InstallationFolder;

beforeEach(() => {
  folder = new InstallationFolder();
});

afterEach(() => folder.close());

describe("D-GATE 5: shutdown", () => {
  it("fails readiness immediately, serves who comes meanwhile, and ends each connection with its response", async () => {
    const gateway = await folder.start("server.shutdown.drain-time: 60s\nmanagement.server.port: 0");
    const [idle, other] = [await Connection.open(gateway.url), await Connection.open(gateway.url)];
    idle.write(head("GET", "/services", `Authorization: ${CHIEF}`));
    await idle.until(/200 OK/);
    expect(idle.received).not.toMatch(/Connection: close/);
    const closed = gateway.close();
    const readiness = await fetch(`${gateway.managementUrl}/actuator/health/readiness`);
    expect([readiness.status, await readiness.json()]).toEqual([503, { status: "OUT_OF_SERVICE" }]);
    for (const connection of [idle, other]) {
      connection.write(head("GET", "/services", `Authorization: ${CHIEF}`));
      await connection.until(/200 OK.*Connection: close/s);
      await connection.closed();
    }
    await closed;
    await expect(fetch(gateway.url)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
  });

  it("D-GATE 15: serves to the end of the drain time if readiness was checked before, though no connection is open", async () => {
    const gateway = await folder.start("server.shutdown.drain-time: 1s");
    const readiness = async (): Promise<number> => {
      const check = await fetch(`${gateway.url}/actuator/health/readiness`, { headers: { Connection: "close" } });
      return check.status;
    };
    expect(await readiness()).toBe(200);
    const began = performance.now();
    const closed = gateway.close();
    expect(await readiness()).toBe(503);
    await closed;
    // The clock of timers is rounded.
    expect(performance.now() - began).toBeGreaterThan(990);
    await expect(readiness()).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
  });

  it("D-GATE 15: ends as soon as no connection is open if nobody checked readiness", async () => {
    const gateway = await folder.start("server.shutdown.drain-time: 5m");
    await fetch(`${gateway.url}/actuator/health/liveness`, { headers: { Connection: "close" } });
    await gateway.close();
    await expect(fetch(gateway.url)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
  });

  it("D-GATE 15: a readiness check counts for a minute", () => {
    const clock = new ManualClock();
    const availability = new Availability(clock);
    expect(availability.isWatched).toBe(false);
    expect(availability.checked()).toBe("OUT_OF_SERVICE");
    clock.advance(59_999);
    expect(availability.isWatched).toBe(true);
    clock.advance(1);
    expect(availability.isWatched).toBe(false);
  });

  it("finishes a mutation in progress, or records it as unknown within the limit, and flushes the audit", async () => {
    const engine = await openWebSocketBus({ host: "127.0.0.1", port: 0 });
    const replies = new Map<string, () => void>();
    engine.listen(
      ({ method }) => new Promise((resolve) => replies.set(method, () => resolve({ ok: true, result: null }))),
    );
    const gateway = await folder.start(
      `server.shutdown.drain-time: 0s
admin.audit.file: audit.jsonl
admin.engine: { transport: websocket, url: "${engine.url}", request-timeout: 3s }`,
    );
    try {
      await expect.poll(async () => (await fetch(`${gateway.url}/actuator/health`)).status).toBe(200);
      const [halt, resume] = [await Connection.open(gateway.url), await Connection.open(gateway.url)];
      halt.write(head("POST", "/trading/halt", `Authorization: ${CHIEF}`, "Content-Length: 0"));
      resume.write(head("POST", "/trading/resume", `Authorization: ${CHIEF}`, "Content-Length: 0"));
      await expect.poll(() => replies.size).toBe(2);
      const closing = gateway.close();
      replies.get("haltTrading")?.();
      await closing;
      await halt.closed();
      expect(halt.received).toMatch(/^HTTP\/1\.1 200 OK/);
      await resume.closed();
      expect(resume.received).toMatch(/^HTTP\/1\.1 504 /);
      const stages = folder.lines("audit.jsonl").map(({ operation, stage }) => `${operation} ${stage}`);
      expect(stages.sort()).toEqual([
        "haltTrading applied",
        "haltTrading intent",
        "resumeTrading intent",
        "resumeTrading unknown",
      ]);
    } finally {
      await engine.close();
    }
  });
});
