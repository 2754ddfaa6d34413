import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LineWriter } from "../../src/gateway/log/line-writer.ts";
import { openRequestLog, type RequestLog } from "../../src/gateway/log/request-log.ts";
import type { ResponseReport } from "../../src/http/admin-http-options.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

let folder: string;
let descriptor: number;
let clock: ManualClock;
let log: RequestLog;
let requests: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "trading-admin-log-"));
  descriptor = openSync(join(folder, "log"), "a");
  clock = new ManualClock();
  log = openRequestLog(new LineWriter(descriptor), clock);
  requests = 0;
});

afterEach(() => {
  closeSync(descriptor);
  rmSync(folder, { recursive: true });
});

function answered(status: number, more: Partial<ResponseReport> = {}): void {
  requests += 1;
  const given = { method: "GET", operation: null, user: "alice", address: "192.0.2.1", durationMs: 1 };
  log.write({ ...given, status, requestId: `r${requests}`, ...more });
}

function lines(): Record<string, unknown>[] {
  const written = readFileSync(join(folder, "log"), "utf8").split("\n").slice(0, -1);
  return written.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("D-LOG 9: the log of requests is bounded as records of refusals are", () => {
  it("with a line for each of 20 errors a minute of one user, and one line with the number of the rest", () => {
    for (let time = 0; time < 1_000; time += 1) answered(time % 2 === 0 ? 403 : 429);
    clock.advance(60_000);
    log.flush();
    expect(lines()).toHaveLength(21);
    expect(lines().at(-1)).toMatchObject({
      requestId: "r21",
      user: "alice",
      address: "192.0.2.1",
      count: 980,
      statuses: { 403: 490, 429: 490 },
      msg: "980 more requests ended with an error",
    });
  });

  it("but has a line for each response without an error, however many", () => {
    for (let time = 0; time < 1_000; time += 1) answered(200);
    for (let time = 0; time < 30; time += 1) answered(404);
    answered(200);
    log.flush();
    expect(lines().filter(({ status }) => status === 200)).toHaveLength(1_001);
  });

  it("for each user; where none is known, for each address", () => {
    for (const user of ["alice", "bob"]) for (let time = 0; time < 25; time += 1) answered(403, { user });
    for (const address of ["192.0.2.1", "192.0.2.2"]) {
      for (let time = 0; time < 25; time += 1) answered(401, { user: null, address });
    }
    clock.advance(60_000);
    log.flush();
    expect(lines().filter(({ count }) => count !== undefined)).toMatchObject([
      { user: "alice", count: 5 },
      { user: "bob", count: 5 },
      { user: null, address: "192.0.2.1", count: 5 },
      { user: null, address: "192.0.2.2", count: 5 },
    ]);
    expect(lines()).toHaveLength(84);
  });

  it("and the counts are written on close, and no timer is left behind", () => {
    for (let time = 0; time < 22; time += 1) answered(500);
    log.flush();
    expect(lines().at(-1)).toMatchObject({ count: 2 });
    expect(clock.pending).toBe(0);
  });
});
