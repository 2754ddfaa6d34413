import { beforeEach, describe, expect, it } from "vitest";
import type { FailedLogin } from "../../src/core/events.ts";
import type { AuditRecord } from "../../src/core/records/record.ts";
import { startTestRig, type TestRig } from "../../src/testing/rig.ts";
import { cases } from "../support/extent.ts";

const MINUTE = 60_000;

let rig: TestRig;
let requests: number;

beforeEach(async () => {
  rig = await startTestRig();
  requests = 0;
});

const LOGIN = { stage: "login-refused", user: "alice", authentication: "basic", address: "192.0.2.1" } as const;

/** One login that failed, of alice unless it is said otherwise; its request id is `r` and a number. */
function fail(more: Partial<FailedLogin> = {}): void {
  requests += 1;
  rig.api.reportFailedLogin({ ...LOGIN, requestId: `r${requests}`, ...more });
}

/** Stage, user, address, count and request id of all records so far, which are forgotten. */
function recorded(): unknown[][] {
  return rig.audit.records
    .splice(0)
    .map(({ stage, user, address, count, requestId }) => [stage, user, address, count, requestId]);
}

describe("D-LOG 11: failed logins are in the audit", () => {
  it("the first immediately, with time, name, address and request id", () => {
    fail();
    expect(rig.audit.records).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        time: expect.stringMatching(/^2026-01-05T09:30:00\.\d{6}Z$/),
        stage: "login-refused",
        gateway: expect.any(String),
        user: "alice",
        authentication: "basic",
        address: "192.0.2.1",
        operation: null,
        target: null,
        parameters: {},
        reason: null,
        requestId: "r1",
        count: 1,
      },
    ]);
  });

  it("and those that follow in one record a minute, which counts them", () => {
    for (let i = 0; i < 1_000; i++) fail();
    expect(recorded()).toEqual([["login-refused", "alice", "192.0.2.1", 1, "r1"]]);
    rig.clock.advance(MINUTE);
    expect(recorded()).toEqual([["login-refused", "alice", "192.0.2.1", 999, "r2"]]);
  });

  it("and none is lost or counted twice, however they are spread over time", () => {
    for (let i = 0; i < 500; i++) {
      fail();
      rig.clock.advance((i * 7_919) % 40_000);
    }
    rig.clock.advance(MINUTE);
    const counts = rig.audit.records.map(({ count }: AuditRecord) => count ?? 0);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(500);
    expect(counts.length).toBeLessThan(400);
  });

  it("and an attack that continues is recorded once a minute and not immediately again", () => {
    fail();
    for (let minute = 0; minute < 3; minute++) {
      fail();
      rig.clock.advance(MINUTE);
    }
    fail();
    expect(recorded().map(([, , , count, requestId]) => [count, requestId])).toEqual([
      [1, "r1"],
      [1, "r2"],
      [1, "r3"],
      [1, "r4"],
    ]);
    rig.clock.advance(MINUTE);
    expect(recorded()).toEqual([["login-refused", "alice", "192.0.2.1", 1, "r5"]]);
  });

  it("by users, addresses and kinds; what was throttled by address only, as it was not checked", () => {
    fail();
    fail({ user: "bob" });
    fail({ address: "192.0.2.2" });
    fail({ user: null, authentication: "bearer" });
    fail({ stage: "login-throttled" });
    fail({ stage: "login-throttled", user: "bob" });
    rig.clock.advance(MINUTE);
    expect(recorded()).toEqual([
      ["login-refused", "alice", "192.0.2.1", 1, "r1"],
      ["login-refused", "bob", "192.0.2.1", 1, "r2"],
      ["login-refused", "alice", "192.0.2.2", 1, "r3"],
      ["login-refused", null, "192.0.2.1", 1, "r4"],
      ["login-throttled", null, "192.0.2.1", 1, "r5"],
      ["login-throttled", null, "192.0.2.1", 1, "r6"],
    ]);
  });

  it("with a name that was forged for the log made visible, and a long one cut", () => {
    fail({ user: `mallory\n{"stage":"applied"}${"x".repeat(4_000)}` });
    const [record] = rig.audit.records;
    expect(record?.user).toMatch(/^mallory\\u000a\{"stage":"applied"\}x+$/);
    expect(record?.user?.length).toBeLessThan(140);
    fail({ user: "😀".repeat(128) });
    fail({ user: `${"😀".repeat(128)}x` });
    rig.clock.advance(MINUTE);
    expect(recorded().slice(1)).toEqual([
      ["login-refused", "😀".repeat(128), "192.0.2.1", 1, "r2"],
      ["login-refused", "😀".repeat(128), "192.0.2.1", 1, "r3"],
    ]);
  });

  it("with what was counted when the API closes, and no timer is left behind", async () => {
    fail();
    fail();
    await rig.close();
    expect(recorded()).toEqual([
      ["login-refused", "alice", "192.0.2.1", 1, "r1"],
      ["login-refused", "alice", "192.0.2.1", 1, "r2"],
    ]);
    expect(rig.clock.pending).toBe(0);
  });

  it("without a timer for a single failure", () => {
    fail();
    expect(rig.clock.pending).toBe(0);
  });

  it("D-LOG 3: and a record that cannot be written is reported, and disturbs nothing else", async () => {
    rig.audit.failure = new Error("disk full");
    const lost: AuditRecord[] = [];
    rig.api.on("auditFailure", ({ record }) => lost.push(record));
    fail();
    await rig.until(() => lost.length);
    expect(lost).toMatchObject([{ stage: "login-refused", operation: null }]);
  });
});

it("D-LOG 3: a record of failed logins is late after the time that a command has", async () => {
  rig = await startTestRig({ audit: { write: () => new Promise(() => {}) } });
  const begin = rig.clock.now();
  const heard: unknown[] = [];
  rig.api.on("auditFailure", ({ pending }) => heard.push({ pending, after: rig.clock.now() - begin }));
  fail();
  await rig.until(() => heard.length);
  expect(heard).toEqual([{ pending: true, after: 10_000 }]);
});

describe("a flood of failed logins is not a flood of records", () => {
  it("since 256 of very many names and addresses a minute are counted one by one, the others together", () => {
    const attempts = cases(100_000);
    for (let i = 0; i < attempts; i++) fail({ user: `user${i}`, address: `192.0.2.${i % 251}` });
    const records = recorded();
    expect(records).toHaveLength(257);
    expect(records.at(-1)).toEqual(["login-refused", null, null, 1, "r257"]);
    rig.clock.advance(MINUTE);
    expect(recorded()).toEqual([["login-refused", null, null, attempts - 257, "r258"]]);
  });

  it("since ended attacks make room for others, while those that are being counted do not", () => {
    for (let i = 0; i < 256; i++) fail({ user: `user${i}` });
    rig.clock.advance(MINUTE / 2);
    fail({ user: "user0" });
    rig.clock.advance(MINUTE / 2);
    recorded();
    fail({ user: "somebody else" });
    expect(recorded()).toEqual([["login-refused", "somebody else", "192.0.2.1", 1, "r258"]]);
    rig.clock.advance(MINUTE);
    expect(recorded()).toEqual([["login-refused", "user0", "192.0.2.1", 1, "r257"]]);
  });
});

describe("listeners of loginFailed", () => {
  it("are called for each, with its own name and request id", () => {
    const heard: FailedLogin[] = [];
    rig.api.on("loginFailed", (login) => heard.push(login));
    fail();
    fail({ stage: "login-throttled", user: "bob" });
    expect(heard).toMatchObject([
      { stage: "login-refused", user: "alice", requestId: "r1" },
      { stage: "login-throttled", user: "bob", requestId: "r2" },
    ]);
  });
});
