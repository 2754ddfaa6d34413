import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ADMIN_ERRORS } from "../../src/core/errors.ts";
import { operationNames, operationRecord, operations } from "../../src/core/operations/table.ts";
import { packageVersion } from "../../src/files/package-files.ts";
import { aboutSeconds, OFFSET_ERROR_MS } from "../support/engine-clock.ts";
import { type RawReply, type RawRequest, sendRaw } from "../support/raw-http.ts";
import { page, Scrape } from "./exposition.ts";
import { CHIEF, InstallationFolder, PASSWORD } from "./folder.ts";
import { type HeldEngine, startHeldEngine } from "./held-engine.ts";

const CALLS = "trading_admin_calls_total";

let folder: InstallationFolder;
const engines: HeldEngine[] = [];

beforeEach(() => {
  folder = new InstallationFolder();
});

afterEach(async () => {
  await folder.close();
  for (const engine of engines.splice(0)) await engine.close();
});

interface Watched {
  readonly origin: string;
  readonly call: (path: string, request?: Partial<RawRequest>) => Promise<RawReply>;
  readonly scrape: () => Promise<Scrape>;
}

async function start(yaml = "", logTo?: string): Promise<Watched> {
  const { url } = await folder.start(yaml, logTo);
  return {
    origin: url,
    call: (path, request = {}) => sendRaw(`${url}/api/admin/v1`, { path, authorization: CHIEF, ...request }),
    scrape: () => Scrape.of(url),
  };
}

async function startOverWire(yaml: string, aheadMs = 0): Promise<Watched & { readonly engine: HeldEngine }> {
  const engine = await startHeldEngine(0, aheadMs);
  engines.push(engine);
  const watched = await start(`${engine.settings}${yaml}`);
  await expect.poll(async () => (await watched.scrape()).value("trading_admin_engine_link_up")).toBe(1);
  return { ...watched, engine };
}

function post(body: object = {}): Partial<RawRequest> {
  return { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
}

describe("D-GATE 11: metrics count calls by operation and outcome", () => {
  it("from 0 on, for each operation and each ending a call can have", async () => {
    const { scrape } = await start();
    const first = await scrape();
    for (const operation of operationNames) {
      const { lane } = operationRecord(operations, operation);
      expect(first.value(CALLS, { operation, lane, status: "200", outcome: "applied" })).toBe(0);
      for (const code of ["REJECTED", "PERMISSION_DENIED", "ENGINE_OVERLOADED", "AUDIT_UNAVAILABLE"] as const) {
        const { status, outcome } = ADMIN_ERRORS[code];
        expect(first.value(CALLS, { operation, status: String(status), outcome })).toBe(0);
      }
      expect(first.value(CALLS, { operation, lane, outcome: "unknown" })).toBe(0);
      expect(first.value("trading_admin_engine_duration_seconds_count", { operation })).toBe(0);
    }
    expect(first.value("trading_admin_failed_logins_total", { result: "throttled" })).toBe(0);
    expect(first.value("trading_admin_audit_failures_total", { lane: "stop" })).toBe(0);
    expect(first.value("trading_admin_late_answers_total", { operation: "haltTrading", result: "applied" })).toBe(0);
    expect(first.value("trading_admin_failures_total", { code: "INTERNAL" })).toBe(0);
    expect(first.value("trading_admin_engine_link_events_total", { kind: "down" })).toBe(0);
  });

  it("once, where a call belongs, with its time", async () => {
    const { call, scrape } = await start();
    await call("/trading/status");
    await call("/trading/status");
    await call("/trading/halt", post());
    await call("/trading/halt", post({ projectionPath: "Nowhere[x]" }));
    await call("/services/NOPE");
    const found = await scrape();
    const count = (operation: string, status: string, outcome: string): number | undefined =>
      found.value(CALLS, { operation, status, outcome });
    expect(count("getTradingStatus", "200", "applied")).toBe(2);
    expect(count("haltTrading", "200", "applied")).toBe(1);
    expect(count("haltTrading", "400", "invalid")).toBe(1);
    expect(count("getService", "404", "rejected")).toBe(1);
    expect(found.value(CALLS)).toBe(5);
    expect(found.value("trading_admin_call_duration_seconds_count", { lane: "stop" })).toBe(2);
    expect(found.value("trading_admin_call_duration_seconds_count", { lane: "read" })).toBe(3);
    expect(found.value("trading_admin_engine_duration_seconds_count", { operation: "haltTrading" })).toBe(1);
    expect(found.value("trading_admin_audit_write_duration_seconds_count")).toBe(3);
  });

  it("and responses without an operation by status", async () => {
    const { call, scrape } = await start();
    await call("/nowhere");
    await call("/services", { authorization: null });
    await call("/services", { method: "DELETE" });
    const found = await scrape();
    for (const status of ["404", "401", "405"]) {
      expect({ status, value: found.value("trading_admin_http_answers_total", { status }) }).toEqual({
        status,
        value: 1,
      });
    }
    expect(found.value(CALLS)).toBe(0);
  });

  it("D-GATE 11: with labels that never hold what callers write: no path, user, address or request id", async () => {
    const { origin, call, scrape } = await start();
    const before = (await scrape()).samples.length;
    for (const path of [
      "/secret-path",
      "/services/secret-path",
      "/trading/status?projectionPath=Source[secret-path]",
    ]) {
      await call(path, { headers: { "X-Request-Id": "secret-id" } });
      await call(path, { authorization: `Basic ${Buffer.from("secret-user:x").toString("base64")}` });
      await call(path, { method: "PATCH" });
    }
    const { body } = await page(origin);
    expect(body).not.toMatch(/secret|chief|127\.0\.0\.1/);
    expect(body).not.toContain(PASSWORD);
    expect((await scrape()).samples.length).toBe(before);
  });
});

describe("D-ENG 10: metrics show what needs attention", () => {
  it("D-VAL 11: such as fields of the engine's replies that break the contract", async () => {
    const { engine, call, scrape } = await startOverWire("admin.engine.request-timeout: 2s");
    const FIELDS = "trading_admin_invalid_fields_total";
    expect((await scrape()).value(FIELDS, { operation: "listServices" })).toBe(0);
    engine.gate.replyWith(() => ({ ok: true, result: [null, { name: "TWAP" }] }));
    const { status, headers } = await call("/services");
    expect([status, headers["x-admin-warning"]]).toEqual([200, expect.stringContaining("type of TWAP (row left out)")]);
    expect((await scrape()).value(FIELDS, { operation: "listServices" })).toBe(2);
    engine.gate.replyWith(undefined);
  });

  it("such as an outcome that is unknown, and the reply that came after all", async () => {
    const { engine, call, scrape } = await startOverWire("admin.engine.request-timeout: 200ms");
    engine.gate.hold();
    expect((await call("/trading/halt", post())).status).toBe(504);
    const unknown = { operation: "haltTrading", lane: "stop", status: "504", outcome: "unknown" };
    expect((await scrape()).value(CALLS, unknown)).toBe(1);
    expect((await scrape()).value("trading_admin_failures_total", { code: "ENGINE_TIMEOUT" })).toBe(1);
    engine.gate.release();
    const late = async (): Promise<number | undefined> => (await scrape()).value("trading_admin_late_answers_total");
    await expect.poll(late).toBe(1);
    const found = await scrape();
    // The time until the response, not until the deadline.
    expect(found.value("trading_admin_engine_duration_seconds_count", { operation: "haltTrading" })).toBe(1);
    expect(found.value("trading_admin_engine_duration_seconds_sum", { operation: "haltTrading" })).toBeGreaterThan(0.2);
  });

  it("such as a read that was given up, with the time for which it was waited", async () => {
    const { engine, call, scrape } = await startOverWire("admin.engine.request-timeout: 200ms");
    engine.gate.hold();
    expect((await call("/services")).status).toBe(504);
    const found = await scrape();
    expect(found.value("trading_admin_engine_duration_seconds_count", { operation: "listServices" })).toBe(1);
    expect(found.value("trading_admin_engine_duration_seconds_bucket", { operation: "listServices", le: "0.1" })).toBe(
      0,
    );
    engine.gate.release();
  });

  it("such as the use of the lanes, and what is shed", async () => {
    const { engine, call, scrape } = await startOverWire("");
    engine.gate.hold();
    const calls = Array.from({ length: 300 }, () => call("/services"));
    const inFlight = async (): Promise<number | undefined> =>
      (await scrape()).value("trading_admin_lane_in_flight", { lane: "read" });
    const shed = async (): Promise<number | undefined> =>
      (await scrape()).value(CALLS, { lane: "read", status: "429" });
    await expect.poll(shed).toBeGreaterThan(0);
    const found = await scrape();
    // One user has half of the capacity, and some of it is at the engine.
    const used = await inFlight();
    expect(engine.gate.seen.length).toBeGreaterThan(0);
    expect(used).toBeGreaterThanOrEqual(engine.gate.seen.length);
    expect(used).toBeLessThanOrEqual(128);
    for (const [lane, capacity] of Object.entries({ stop: 64, change: 64, read: 256 })) {
      expect(found.value("trading_admin_lane_capacity", { lane })).toBe(capacity);
    }
    engine.gate.release();
    await Promise.all(calls);
    expect(await inFlight()).toBe(0);
    expect(await shed()).toBe((await scrape()).value("trading_admin_http_answers_total", { status: "429" }));
  });

  it("such as a link that goes and comes", async () => {
    const { engine, scrape } = await startOverWire("");
    const [, port] = /:(\d+)\n/.exec(engine.settings) ?? [];
    await engine.close();
    const up = async (): Promise<number | undefined> => (await scrape()).value("trading_admin_engine_link_up");
    await expect.poll(up).toBe(0);
    engines.push(await startHeldEngine(Number(port)));
    await expect.poll(up).toBe(1);
    const found = await scrape();
    expect(found.value("trading_admin_engine_link_events_total", { kind: "up" })).toBeGreaterThan(1);
    expect(found.value("trading_admin_engine_link_events_total", { kind: "down" })).toBeGreaterThan(0);
  });

  it("D-LINK 9: such as an engine's clock that is off: halts get through, and one line of the log says so", async () => {
    const { call, scrape } = await startOverWire("", -10_000);
    const offset = async (): Promise<number | undefined> =>
      (await scrape()).value("trading_admin_engine_clock_offset_seconds");
    expect(await offset()).toBeNaN();
    const offsetAfterHalt = async (): Promise<number | undefined> => {
      expect((await call("/trading/halt", post())).status).toBe(200);
      return offset();
    };
    // A reply that comes late does not tell.
    await expect.poll(offsetAfterHalt).not.toBeNaN();
    for (let count = 0; count < 5; count += 1) await offsetAfterHalt();
    expect(Math.abs(((await offset()) ?? Number.NaN) + 10)).toBeLessThanOrEqual(OFFSET_ERROR_MS / 1_000);
    const warnings = folder.log().filter(({ msg }) => /clock/.test(String(msg)));
    const msg = expect.stringMatching(`${aboutSeconds(10)} s behind this gateway's`);
    expect(warnings).toMatchObject([{ level: "warn", msg }]);
    expect((await scrape()).value("trading_admin_engine_link_events_total", { kind: "problem" })).toBe(1);
  });

  it("except for an engine in this process, which has no clock of its own", async () => {
    const { call, scrape } = await start();
    await call("/services");
    expect((await scrape()).value("trading_admin_engine_clock_offset_seconds")).toBeUndefined();
  });

  it("such as records that were lost, by lane: a stop is sent without (D-LOG 3)", async () => {
    const { call, scrape } = await start("", "/dev/full");
    expect((await call("/trading/halt", post())).status).toBe(200);
    expect((await call("/trading/resume", post())).status).toBe(500);
    const found = await scrape();
    // Intent and outcome of the stop; a change ends with its intent.
    expect(found.value("trading_admin_audit_failures_total", { lane: "stop" })).toBe(2);
    expect(found.value("trading_admin_audit_failures_total", { lane: "change" })).toBe(1);
    expect(found.value("trading_admin_audit_pending_records")).toBe(0);
    expect(found.value("trading_admin_failures_total", { code: "AUDIT_UNAVAILABLE" })).toBe(1);
  });
});

describe("metrics describe the process", () => {
  it("with its version, what it runs on, and what it uses", async () => {
    const { scrape } = await start();
    const found = await scrape();
    const labels = { version: packageVersion(), node: process.versions.node };
    expect(found.value("trading_admin_build_info", labels)).toBe(1);
    expect(found.value("trading_admin_ready")).toBe(1);
    for (const name of ["process_cpu_seconds_total", "process_resident_memory_bytes", "nodejs_heap_size_used_bytes"]) {
      expect({ name, value: found.value(name) }).toEqual({ name, value: expect.any(Number) });
      expect(found.value(name)).toBeGreaterThan(0);
    }
    expect(Math.abs((found.value("process_start_time_seconds") ?? 0) - performance.timeOrigin / 1000)).toBeLessThan(1);
  });

  it("with a stall of the event loop, for every scraper", async () => {
    const { scrape } = await start();
    const longest = async (): Promise<number | undefined> =>
      (await scrape()).value("trading_admin_event_loop_delay_seconds", { statistic: "max" });
    // The monitor needs a moment to begin, so more than one stall may be needed.
    const stallAndLook = (): Promise<number | undefined> => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
      return longest();
    };
    await expect.poll(stallAndLook).toBeGreaterThan(0.3);
    expect(await longest()).toBeGreaterThan(0.3);
  });

  it("with separate counts for the gateways of one process", async () => {
    const one = await start();
    const other = await start();
    await one.call("/services");
    expect((await one.scrape()).value(CALLS)).toBe(1);
    expect((await other.scrape()).value(CALLS)).toBe(0);
  });
});
