import { execFile } from "node:child_process";
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LineWriter } from "../../src/gateway/log/line-writer.ts";
import { openMonitorLog } from "../../src/gateway/log/monitor-log.ts";
import { type RawRequest, sendRaw } from "../support/raw-http.ts";
import { Scrape } from "./exposition.ts";
import { CHIEF, InstallationFolder, PASSWORD } from "./folder.ts";

const run = promisify(execFile);

let folder: InstallationFolder;

beforeEach(() => {
  folder = new InstallationFolder();
});

afterEach(() => folder.close());

/** The lines about requests so far; they come a little later than the responses. */
function requestLines(): Record<string, unknown>[] {
  return folder.log().filter(({ method }) => method !== undefined);
}

function timed(work: () => void): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}

describe("the request log has one structured line for each request", () => {
  it("says who asked for what, from where, how it ended and how long it took", async () => {
    const { url } = await folder.start("");
    const asked: readonly RawRequest[] = [
      { path: "/trading/status", authorization: CHIEF, headers: { "X-Request-Id": "one" } },
      { path: "/trading/halt", method: "POST", authorization: CHIEF, headers: { "X-Request-Id": "two" } },
      { path: "/nowhere", authorization: CHIEF, headers: { "X-Request-Id": "three" } },
      { path: "/services", headers: { "X-Request-Id": "four" } },
      { path: "/services", method: "DELETE", authorization: CHIEF, headers: { "X-Request-Id": "five" } },
    ];
    for (const request of asked) await sendRaw(`${url}/api/admin/v1`, request);
    await expect.poll(() => requestLines().length).toBe(asked.length);
    const line = { level: "info", address: "127.0.0.1", durationMs: expect.any(Number), time: expect.any(String) };
    expect(requestLines()).toMatchObject([
      { ...line, requestId: "one", method: "GET", operation: "getTradingStatus", status: 200, user: "chief" },
      { ...line, requestId: "two", method: "POST", operation: "haltTrading", status: 200, user: "chief" },
      { ...line, requestId: "three", method: "GET", operation: null, status: 404, user: "chief" },
      { ...line, requestId: "four", method: "GET", operation: null, status: 401, user: null },
      { ...line, requestId: "five", method: "DELETE", operation: null, status: 405, user: "chief" },
    ]);
    expect(requestLines()[0]?.msg).toBe("GET getTradingStatus: 200");
  });

  it("holds neither paths nor queries nor bodies nor credentials", async () => {
    const { url } = await folder.start("");
    const wrong = Buffer.from("chief:wr0ng-Pa55").toString("base64");
    for (const authorization of [CHIEF, `Basic ${wrong}`, "Bearer s3cret.t0ken.x"]) {
      for (const path of ["/services/s3cret", "/s3cret", "/trading/status?access_token=s3cret"]) {
        const body = '{"reason":"s3cret"}';
        await sendRaw(`${url}/api/admin/v1`, { path, authorization, method: "POST", body });
        await sendRaw(`${url}/api/admin/v1`, { path, authorization });
      }
    }
    await expect.poll(() => requestLines().length).toBe(18);
    const text = JSON.stringify(requestLines());
    for (const secret of ["s3cret", "wr0ng", wrong, PASSWORD, CHIEF.slice(6)]) expect(text).not.toContain(secret);
  });

  it("omits probes and scrapes", async () => {
    const { url } = await folder.start("");
    for (const path of ["/actuator/health", "/actuator/health/liveness", "/actuator/prometheus"]) {
      await sendRaw(url, { path, authorization: CHIEF });
    }
    await sendRaw(`${url}/api/admin/v1`, { path: "/services", authorization: CHIEF });
    await expect.poll(() => requestLines().length).toBe(1);
  });

  it("is empty with admin.api.request-log: false, while audit records are written all the same", async () => {
    const gateway = await folder.start("admin.api.request-log: false");
    const headers = { "Content-Type": "application/json" };
    const halt = { method: "POST", path: "/trading/halt", headers, body: "{}", authorization: CHIEF };
    expect((await sendRaw(`${gateway.url}/api/admin/v1`, halt)).status).toBe(200);
    await gateway.close();
    expect(requestLines()).toEqual([]);
    expect(folder.log().flatMap(({ stage }) => stage ?? [])).toEqual(["intent", "applied"]);
  });

  it("has lines in the form of the other lines of the log", () => {
    const file = folder.file("form.log");
    const descriptor = openSync(file, "a");
    const log = openMonitorLog(descriptor);
    const report = {
      method: "GET",
      operation: null,
      status: 200,
      requestId: "r",
      user: "ü",
      address: "::1",
      durationMs: 1,
    };
    log.requests.write(report);
    log.requests.flush();
    log.info("GET -: 200", report);
    closeSync(descriptor);
    const lines = readFileSync(file, "utf8").trim().split("\n");
    const [request, other] = lines.map((line) => Object.entries(JSON.parse(line) as object).sort());
    const form = (entries: unknown): string => JSON.stringify(entries).replaceAll(/\d/g, "0");
    expect(form(request)).toContain('["level","info"]');
    expect(form(request)).toBe(form(other));
  });

  it("is complete when the gateway closes", async () => {
    const gateway = await folder.start("");
    await sendRaw(`${gateway.url}/api/admin/v1`, { path: "/services", authorization: CHIEF });
    await gateway.close();
    expect(requestLines()).toHaveLength(1);
  });
});

describe("D-LOG 14: a request log whose reader does not keep up", () => {
  it("loses lines on a full disk, which are counted, and no request", async () => {
    const { url } = await folder.start("", "/dev/full");
    for (let count = 0; count < 20; count += 1) {
      const { status } = await sendRaw(`${url}/api/admin/v1`, { path: "/services", authorization: CHIEF });
      expect(status).toBe(200);
    }
    const lost = async (): Promise<number | undefined> =>
      (await Scrape.of(url)).value("trading_admin_log_lines_lost_total");
    await expect.poll(lost).toBe(20);
  });

  it("finishes a line that was cut, also when its caller has used the bytes again", async () => {
    const pipe = join(folder.path, "cut");
    await run("mkfifo", [pipe]);
    const descriptor = openSync(pipe, "r+");
    const nonBlocking = openSync(pipe, 0o1 | 0o4000);
    try {
      const writer = new LineWriter(nonBlocking);
      const bytes = Buffer.alloc(100_000, "x");
      expect(() => writer.write(bytes, 0)).toThrow();
      bytes.fill("z");
      const first = Buffer.alloc(100_000);
      const taken = readSync(descriptor, first);
      expect(taken).toBeLessThan(100_000);
      writer.write("next", 0);
      const rest = Buffer.alloc(100_000);
      const more = readSync(descriptor, rest);
      expect(`${rest.subarray(0, more)}`).toBe(`${"x".repeat(100_000 - taken)}next`);
    } finally {
      closeSync(nonBlocking);
      closeSync(descriptor);
    }
  });

  it("waits once for a reader that takes nothing: no audit record and no other line does until it takes one again", async () => {
    const pipe = join(folder.path, "stuck");
    await run("mkfifo", [pipe]);
    const descriptor = openSync(pipe, "r+");
    const nonBlocking = openSync(pipe, 0o1 | 0o4000);
    try {
      const writer = new LineWriter(nonBlocking);
      const line = Buffer.alloc(4_096, "x");
      const attempt = (): void => expect(() => writer.write(line)).toThrow("EAGAIN");
      for (let lines = 0; lines < 16; lines += 1) writer.write(line, 0);
      const oneWait = timed(attempt);
      const others = timed(() => {
        for (let lines = 0; lines < 20; lines += 1) attempt();
      });
      expect(others).toBeLessThan(oneWait);
      readSync(descriptor, Buffer.alloc(8_192));
      for (let lines = 0; lines < 2; lines += 1) writer.write(line);
      expect(timed(attempt)).toBeGreaterThan(others);
    } finally {
      closeSync(nonBlocking);
      closeSync(descriptor);
    }
  });

  it("does not wait for a pipe that nobody reads, and its lines stay whole", async () => {
    const pipe = join(folder.path, "pipe");
    await run("mkfifo", [pipe]);
    // Opened for reading too, so that the open does not wait; a pipe holds 64 KiB.
    const descriptor = openSync(pipe, "r+");
    try {
      // As the gateway's own standard output: writes fail instead of waiting.
      const nonBlocking = openSync(pipe, 0o1 | 0o4000);
      const log = openMonitorLog(nonBlocking);
      const report = {
        method: "GET",
        operation: null,
        status: 200,
        user: "ü".repeat(50),
        address: "::1",
        durationMs: 1,
      };
      const lines = 2_000;
      const elapsed = timed(() => {
        for (let line = 0; line < lines; line += 1) log.requests.write({ ...report, requestId: `r-${line}` });
        log.requests.flush();
      });
      expect(log.requests.lost).toBeGreaterThan(0);
      expect(log.requests.lost).toBeLessThan(lines);
      // Other lines do wait for the reader; had these waited, it would have been once for each of nine groups.
      const oneWait = timed(() => log.error("x".repeat(4_000)));
      expect(elapsed).toBeLessThan(5 * oneWait);
      closeSync(nonBlocking);
      const { stdout } = await run("timeout", ["1", "cat", pipe], { maxBuffer: 1024 * 1024 }).catch(
        (error: { stdout: string }) => error,
      );
      const kept = stdout.split("\n").slice(0, -1);
      expect(kept.map((line) => JSON.parse(line) as unknown)).toHaveLength(lines - log.requests.lost);
    } finally {
      closeSync(descriptor);
    }
  });
});
