import { describe, expect, it } from "vitest";
import { AdminApi } from "../../src/core/admin-api.ts";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import type { AuditRecord } from "../../src/core/records/record.ts";
import { startTestRig, type TestRig } from "../../src/testing/rig.ts";

const chief = principal("chief", PERMISSIONS);

describe("audit records", () => {
  it("D-LOG 1: of a mutation are an intent before it is sent and its outcome after, joined by id", async () => {
    const rig = await startTestRig();
    rig.gate.hold();
    const call = rig.as("chief", { requestId: "r-1", address: "10.0.0.7" }).haltTrading({ reason: "drill" });
    await rig.until(() => rig.received().length >= 1);
    expect(rig.audit.stages).toEqual(["intent"]);
    rig.gate.release();
    await call;
    expect(rig.audit.stages).toEqual(["intent", "applied"]);
    const [intent, outcome] = rig.audit.records;
    expect(outcome).toMatchObject({
      id: intent?.id,
      user: "chief",
      authentication: "direct",
      address: "10.0.0.7",
      operation: "haltTrading",
      target: "",
      reason: "drill",
      parameters: { projectionPath: "", reason: "drill", cancelOrders: false },
      requestId: "r-1",
      status: 200,
    });
    expect(intent?.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(outcome?.durationMs).toBeGreaterThanOrEqual(0);
    expect(outcome?.durationMs).toBeLessThan(60_000);
    const ofOutcome = Object.keys(outcome ?? {}).filter((field) => !Object.hasOwn(intent ?? {}, field));
    expect(ofOutcome).toEqual(["status", "durationMs", "engineTime"]);
    expect(Object.keys(intent ?? {})).not.toContain("annotations");
  });

  it("D-LOG 5, D-HTTP 23: have the trace id of the caller, which is passed to the engine", async () => {
    const rig = await startTestRig();
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    await rig.as("chief", { traceparent }).haltTrading();
    expect(rig.audit.records[0]?.traceId).toBe("0af7651916cd43dd8448eb211c80319c");
    expect(rig.gate.seen[0]?.context).toMatchObject({ traceparent, user: "chief" });
  });

  it("D-LOG 5: have the method by which the caller was authenticated, and the ids of a token and its client", async () => {
    const rig = await startTestRig();
    const token = { ...chief, authentication: "bearer", tokenId: "jti-1\n", clientId: "monitor\n" } as const;
    await rig.as(token).haltTrading();
    await rig.as("chief").haltTrading();
    expect(rig.audit.records).toMatchObject([
      ...Array(2).fill({ authentication: "bearer", tokenId: "jti-1\\u000a", clientId: "monitor\\u000a" }),
      ...Array(2).fill({ authentication: "direct", address: null }),
    ]);
    expect(rig.audit.records.map((record) => Object.keys(record).filter((key) => /Id$/.test(key)))).toEqual([
      ...Array(2).fill(["tokenId", "clientId", "requestId"]),
      ...Array(2).fill(["requestId"]),
    ]);
  });

  it("D-LOG 5: name a target of several fields with all of them, and none where one is missing", async () => {
    const rig = await startTestRig();
    await rig.as("chief").disconnectFixSession({ gateway: "OE1", session: "FIXCLIENT1" });
    const call = rig.as("chief").disconnectFixSession({ gateway: "OE1", session: 7 } as never);
    await expect(call).rejects.toMatchObject({ status: 400 });
    expect(rig.audit.records.map(({ stage, target, reason }) => [stage, target, reason])).toEqual([
      ["intent", "OE1/FIXCLIENT1", null],
      ["applied", "OE1/FIXCLIENT1", null],
      ["invalid", null, null],
    ]);
  });

  it("D-LOG 8: are made of a denied attempt, of which nothing is sent", async () => {
    const rig = await startTestRig();
    await expect(rig.as(principal("eve")).haltTrading()).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    expect(rig.audit.records).toMatchObject([{ stage: "denied", user: "eve", status: 403 }]);
    expect(rig.gate.seen).toEqual([]);
  });

  it("D-LOG 8: are made of an invalid attempt, of which nothing is sent", async () => {
    const rig = await startTestRig();
    const call = rig.as("chief").adjustPosition({ projectionPath: "Symbol[A]", size: "ten" });
    await expect(call).rejects.toMatchObject({ status: 400 });
    expect(rig.audit.records).toMatchObject([{ stage: "invalid", status: 400, parameters: { size: "ten" } }]);
    expect(rig.gate.seen).toEqual([]);
  });

  it("D-LOG 8: have what an edge had read by then: nothing of a denied attempt but what its path says", async () => {
    const rig = await startTestRig();
    const source = { known: { name: "TWAP" }, read: () => ({ name: "TWAP", reason: 7 }) };
    const attempt = (caller: typeof chief) => rig.api.invoke("disableService", source, caller);
    await expect(attempt(chief)).rejects.toMatchObject({ code: "BAD_REQUEST" });
    await expect(attempt(principal("eve"))).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    expect(rig.audit.records.map(({ stage, parameters }) => [stage, parameters])).toEqual([
      ["invalid", { name: "TWAP", reason: 7 }],
      ["denied", { name: "TWAP" }],
    ]);
  });

  it("D-LOG 1: have the reason of a rejection by the engine", async () => {
    const rig = await startTestRig();
    await expect(rig.as("chief").disableService({ name: "NOBODY" })).rejects.toMatchObject({ status: 404 });
    expect(rig.audit.records).toMatchObject([
      { stage: "intent", target: "NOBODY" },
      { stage: "rejected", status: 404, message: 'Unknown service "NOBODY"' },
    ]);
  });

  it("are not made of a read", async () => {
    const rig = await startTestRig();
    await rig.as(principal("viewer")).listServices();
    expect(rig.audit.records).toEqual([]);
  });

  it("D-LOG 6: have control characters escaped", async () => {
    const rig = await startTestRig();
    await rig.as("chief").haltTrading({ reason: "a\nb\u202e\u2028\u0007" });
    expect(rig.audit.records[0]?.reason).toBe("a\\u000ab\\u202e\\u2028\\u0007");
    expect(rig.gate.seen[0]?.input).toMatchObject({ reason: "a\nb\u202e\u2028\u0007" });
  });

  it("D-ENG 6: note an ignored cancelOrders", async () => {
    const rig = await startTestRig();
    await rig.as("chief").haltTrading({ projectionPath: "Account[GOLD]", cancelOrders: true });
    expect(rig.audit.records[1]).toMatchObject({
      stage: "applied",
      message: expect.stringContaining("cancelOrders was ignored"),
    });
  });
});

describe("when a record cannot be written", () => {
  it("D-LOG 3: a change is refused and not sent", async () => {
    const rig = await startTestRig();
    rig.audit.failure = new Error("disk full");
    const lost: AuditRecord[] = [];
    rig.api.on("auditFailure", ({ record }) => lost.push(record));
    await expect(rig.as("chief").resumeTrading()).rejects.toMatchObject({ code: "AUDIT_UNAVAILABLE", status: 500 });
    expect(rig.gate.seen).toEqual([]);
    expect(lost).toMatchObject([{ stage: "intent", operation: "resumeTrading" }]);
  });

  it("D-LOG 3: a stop is sent, and every lost record is reported", async () => {
    const rig = await startTestRig();
    rig.audit.failure = new Error("disk full");
    const lost: string[] = [];
    rig.api.on("auditFailure", ({ record }) => lost.push(record.stage));
    await rig.as("chief").haltTrading();
    rig.clock.advance(1_000);
    expect(await rig.as("chief").getTradingStatus()).toMatchObject({ halted: true });
    expect(lost).toEqual(["intent", "applied"]);
  });

  it("D-LOG 12: a change that was applied but whose outcome is lost does not get a 200", async () => {
    const rig = await startTestRig();
    rig.gate.hold();
    const call = rig.as("chief").enableService({ name: "SIM" });
    await rig.until(() => rig.received().length >= 1);
    rig.audit.failure = new Error("disk full");
    const lost: string[] = [];
    rig.api.on("auditFailure", ({ record }) => lost.push(record.stage));
    rig.gate.release();
    await expect(call).rejects.toMatchObject({ code: "OUTCOME_NOT_RECORDED", status: 500, outcome: "applied" });
    expect(lost).toEqual(["applied"]);
  });

  it("D-ENG 15: a change whose record is kept at its deadline, or not at all, is refused and not sent", async () => {
    for (const [keptAfter, problem] of [
      [10_000, "was recorded in the audit log too late"],
      [10_001, "cannot be recorded in the audit log"],
    ] as const) {
      const write = (): Promise<void> => new Promise((resolve) => void rig.clock.schedule(keptAfter, resolve));
      const rig: TestRig = await startTestRig({ audit: { write } });
      const errors: string[] = [];
      rig.api.on("auditFailure", ({ error }) => errors.push((error as Error).message));
      const refused = expect(rig.as("chief").resumeTrading()).rejects.toMatchObject({
        code: "AUDIT_UNAVAILABLE",
        message: `The change ${problem}; nothing was sent`,
      });
      await rig.until(() => rig.clock.pending === 2);
      rig.clock.advance(10_000);
      await refused;
      expect(rig.gate.seen).toEqual([]);
      expect(errors).toEqual(keptAfter === 10_000 ? [] : ["The audit sink did not keep the record within 10000 ms"]);
    }
  });

  it("D-LOG 13: a sink that hangs does not hold a stop up", async () => {
    const rig = await startTestRig({ audit: { write: () => new Promise<void>(() => {}) } });
    const { clock } = rig;
    const call = rig.as("chief").haltTrading();
    await rig.until(() => clock.pending === 1);
    clock.advance(500);
    await rig.until(() => rig.received().length >= 1);
    await rig.until(() => clock.pending > 0);
    clock.advance(500);
    await call;
  });
});

/** Keeps the loop from turning. */
function stall(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe("D-LOG 3: a record that is late is not called lost", () => {
  it("if it was written while the event loop was blocked, it is in time", async () => {
    const rig = await startTestRig();
    const write = (): Promise<void> => {
      // As of a disk that persists it while the event loop is blocked, the loop hears of it after its timers.
      queueMicrotask(() => stall(250));
      return new Promise((written) => setImmediate(written));
    };
    const api = new AdminApi({ transport: rig.bus, audit: { write }, timeoutMs: 400 });
    const failures: unknown[] = [];
    api.on("auditFailure", ({ error }) => failures.push(error));
    for (let round = 0; round < 3; round += 1) await api.as(chief).disableService({ name: "TWAP" });
    expect(failures).toEqual([]);
  });

  it("if it is written in the end it is pending, then written; if it fails, pending, then lost", async () => {
    const settle: { resolve: () => void; reject: (error: Error) => void }[] = [];
    const audit = { write: () => new Promise<void>((resolve, reject) => void settle.push({ resolve, reject })) };
    const rig = await startTestRig({ audit });
    const heard: unknown[] = [];
    rig.api.on("auditFailure", ({ record: { stage }, pending }) => heard.push({ stage, pending }));
    rig.api.on("lateRecord", ({ record: { stage }, error }) => heard.push({ stage, error }));
    const call = rig.as("chief").disableService({ name: "TWAP" });
    for (const writes of [1, 2]) {
      await rig.until(() => settle.length === writes);
      rig.clock.advance(500);
      await rig.until(() => heard.length === writes);
    }
    await call;
    const disk = new Error("disk full");
    settle[0]?.resolve();
    settle[1]?.reject(disk);
    await rig.until(() => heard.length >= 4);
    expect(heard).toEqual([
      { stage: "intent", pending: true },
      { stage: "applied", pending: true },
      { stage: "intent", error: undefined },
      { stage: "applied", error: disk },
    ]);
  });

  it("if it fails in time it is lost, and reported once", async () => {
    const rig = await startTestRig();
    rig.audit.failure = new Error("disk full");
    const heard: unknown[] = [];
    rig.api.on("auditFailure", ({ pending }) => heard.push(pending));
    rig.api.on("lateRecord", (late) => heard.push(late));
    await rig.as("chief").haltTrading();
    expect(heard).toEqual([false, false]);
  });
});
