import { describe, expect, it } from "vitest";
import type { Calls } from "../../src/core/calls/call.ts";
import { type EngineReply, TransportError } from "../../src/core/engine/transport.ts";
import { LongList } from "../../src/core/load/long-list.ts";
import { principal } from "../../src/core/principal.ts";
import type { AuditRecord } from "../../src/core/records/record.ts";
import { startTestRig, type TestRig, type TestRigOptions } from "../../src/testing/rig.ts";
import { InProcessBus } from "../../transports/in-process.ts";

/** A rig whose engine hangs. */
async function hanging(options?: TestRigOptions): Promise<TestRig> {
  const rig = await startTestRig(options);
  rig.gate.hold();
  return rig;
}

async function settled(calls: readonly Promise<unknown>[]): Promise<string[]> {
  const results = await Promise.allSettled(calls);
  return results.map((result) => (result.status === "fulfilled" ? "ok" : result.reason.code));
}

describe("the deadline", () => {
  it("D-ENG 1: the engine is given 10 seconds, and is sent the deadline", async () => {
    const rig = await hanging();
    const call = rig.as("chief").listServices();
    const failed = expect(call).rejects.toMatchObject({
      code: "ENGINE_TIMEOUT",
      message: "The engine did not respond within 10 seconds",
    });
    await rig.until(() => rig.received().length >= 1);
    expect(rig.gate.seen[0]?.context.deadline).toBe(rig.clock.now() + 10_000);
    rig.clock.advance(9_999);
    rig.clock.advance(1);
    await failed;
  });

  it("D-ENG 1, D-ENG 13: what is already late is dropped by the engine, and the late reply says so", async () => {
    const rig = await hanging({ timeoutMs: 50 });
    const late = new Promise((resolve) => rig.api.on("lateReply", resolve));
    const call = rig.as("chief").resumeTrading();
    const failed = expect(call).rejects.toMatchObject({ code: "ENGINE_TIMEOUT", outcome: "unknown" });
    await rig.until(() => rig.received().length >= 1);
    rig.clock.advance(50);
    await failed;
    rig.gate.release();
    expect(await late).toMatchObject({ stage: "rejected late" });
  });

  it("D-ENG 21: a stop that is late is carried out all the same, and the late reply says so", async () => {
    const rig = await hanging({ timeoutMs: 50 });
    const late = new Promise((resolve) => rig.api.on("lateReply", resolve));
    const call = rig.as("chief").haltTrading();
    const failed = expect(call).rejects.toMatchObject({ code: "ENGINE_TIMEOUT", outcome: "unknown" });
    await rig.until(() => rig.received().length >= 1);
    rig.clock.advance(50);
    await failed;
    rig.gate.release();
    expect(await late).toMatchObject({ stage: "applied late" });
    rig.clock.advance(1_000);
    expect(await rig.as("chief").getTradingStatus()).toMatchObject({ halted: true });
  });

  it("D-ENG 21: a command is sent although the read for the engine's clock hangs, also where the API's clock is held", async () => {
    const rig = await hanging({
      transport: (clock) => {
        const bus = new InProcessBus({ clock });
        return { bus, transport: Object.assign(bus, { knowsClock: false }) };
      },
    });
    const call = rig.as("chief").resumeTrading();
    await rig.until(() => rig.received("resumeTrading").length >= 1, { stepMs: 0 });
    expect(rig.received("getTradingStatus")).toHaveLength(1);
    rig.gate.release();
    await call;
  });

  it("D-ENG 21: after a read for the engine's clock that could not be sent, the next change reads again", async () => {
    const rig = await startTestRig({
      transport: (clock) => {
        const bus = new InProcessBus({ clock });
        return { bus, transport: Object.assign(bus, { knowsClock: false }) };
      },
    });
    rig.faults.add({ kind: "unavailable", times: 2 });
    expect(await settled([rig.as("chief").resumeTrading()])).toEqual(["ENGINE_UNAVAILABLE"]);
    await rig.as("chief").resumeTrading();
    expect(rig.received().map(({ method }) => method)).toEqual(["getTradingStatus", "resumeTrading"]);
  });

  it("D-ENG 10: a failure of the engine after the deadline is not a rejection: nobody knows what was changed", async () => {
    const rig = await startTestRig();
    rig.faults.add({ kind: "late", ms: 500 });
    rig.gate.replyWith(() => ({ ok: false, refusal: "internal", message: "broke down" }));
    const late = new Promise((resolve) => rig.api.on("lateReply", resolve));
    const call = settled([rig.as("chief").haltTrading()]);
    await rig.until(() => late.then(() => true));
    expect(await call).toEqual(["ENGINE_TIMEOUT"]);
    expect(rig.audit.records.map(({ stage, message }) => [stage, message])).toEqual([
      ["intent", undefined],
      ["unknown", expect.stringContaining("did not respond")],
      ["unknown", "broke down"],
    ]);
  });

  it("D-ENG 10: a reply that comes late is matched, recorded and emitted to the host", async () => {
    const rig = await startTestRig();
    rig.faults.add({ kind: "late", ms: 500 });
    const heard: unknown[] = [];
    rig.api.on("lateReply", (record) => heard.push(record));
    const call = settled([rig.as("chief").resumeTrading()]);
    await rig.until(() => heard.length);
    expect(await call).toEqual(["ENGINE_TIMEOUT"]);
    expect(rig.audit.stages).toEqual(["intent", "unknown", "applied late"]);
    expect(new Set(rig.audit.records.map(({ id }) => id)).size).toBe(1);
    expect(heard).toEqual([rig.audit.records[2]]);
    expect(rig.clock.pending).toBe(0);
  });

  const LATE_ROW = { conditions: { Account: "GOLD" }, limits: { MaxOrderSize: "5" } };

  it.each<[string, EngineReply, Partial<AuditRecord>]>([
    [
      "D-LOG 17: the rows that it changed, of a risk update",
      { ok: true, result: { projection: "Account", rows: [LATE_ROW] } },
      { stage: "applied late", after: [LATE_ROW] },
    ],
    [
      "D-LINK 12, D-LOG 17: the same of a long reply, whose rows are parsed when they are used",
      {
        ok: true,
        result: new LongList({ projection: "Account", rows: [] }, "rows", () => [
          [LATE_ROW],
          [{ ...LATE_ROW, conditions: { Account: "OTHER" } }],
        ]),
      },
      { stage: "applied late", after: [LATE_ROW] },
    ],
    [
      "D-LOG 17: that a row is gone",
      { ok: true, result: { projection: "Account", rows: [] } },
      { stage: "applied late", after: [{ conditions: { Account: "GOLD" }, limits: null }] },
    ],
    ["D-ENG 10: no rows of one that is not understood", { ok: true, result: 7 }, { stage: "applied late" }],
    [
      "D-ENG 10: the engine's reason of one that was rejected",
      { ok: false, refusal: "rejected", message: "no such account" },
      { stage: "rejected late", message: "no such account" },
    ],
  ])("a late reply's record says %s", async (_what, reply, said) => {
    const rig = await startTestRig();
    rig.gate.replyWith(() => reply);
    rig.faults.add({ kind: "late" });
    const commands = [{ type: "UPDATE", conditions: { Account: "GOLD" }, limits: { MaxOrderSize: "5" } }] as const;
    const call = settled([rig.as("chief").updateRiskTable({ projection: "Account", commands: [...commands] })]);
    const { stage, message, after } = await rig.until(() => rig.audit.records[2]);
    expect(await call).toEqual(["ENGINE_TIMEOUT"]);
    expect({ stage, message, after }).toEqual({ message: undefined, after: undefined, ...said });
  });

  it("D-ENG 10: of an update that is cut in its records no rows, since its commands are not kept until then", async () => {
    const rig = await startTestRig();
    rig.gate.replyWith(() => ({ ok: true, result: { projection: "Account", rows: [LATE_ROW] } }));
    rig.faults.add({ kind: "late" });
    const commands = Array.from({ length: 1_000 }, (_, index) => {
      return { type: "UPDATE" as const, conditions: { Account: `A${index}` }, limits: { MaxOrderSize: "5" } };
    });
    const call = settled([rig.as("chief").updateRiskTable({ projection: "Account", commands })]);
    const record = await rig.until(() => rig.audit.records[2]);
    expect(await call).toEqual(["ENGINE_TIMEOUT"]);
    expect(record).toMatchObject({
      stage: "applied late",
      target: rig.audit.records[0]?.target,
      parameters: { projection: "Account", commands: { count: 1_000 } },
    });
    expect(record).not.toHaveProperty("after");
  });

  it("D-ENG 23: what the bus will never take is 413 with both sizes, on record as not sent", async () => {
    const message = "The request has 9 bytes, and the NATS server takes 8 at most; nothing was sent";
    const rig = await startTestRig({
      transport: (clock) => {
        const bus = new InProcessBus({ clock });
        const exchange = (): never => {
          throw new TransportError("too-large", message, { sent: false });
        };
        return { transport: Object.assign(bus, { exchange }), bus };
      },
    });
    const refused = rig.as("chief").resumeTrading();
    await expect(refused).rejects.toMatchObject({ code: "TOO_LARGE_FOR_BUS", status: 413, message });
    expect(rig.audit.stages).toEqual(["intent", "not-sent"]);
  });

  it("D-ENG 10: late replies are waited for only so long", async () => {
    const rig = await hanging({ timeoutMs: 50 });
    const call = settled([rig.as("chief").resumeTrading()]);
    await rig.until(() => rig.received().length >= 1);
    rig.clock.advance(50);
    expect(await call).toEqual(["ENGINE_TIMEOUT"]);
    rig.clock.advance(3_600_000);
    rig.gate.release();
    await rig.as("chief").listServices();
    expect(rig.audit.stages).toEqual(["intent", "unknown"]);
    expect(rig.clock.pending).toBe(0);
  });
});

/** A stop that has nothing to do with the changes of these tests: it does not keep them from being sent. */
function disable(api: Calls): Promise<unknown> {
  return api.disableService({ name: "SIM" });
}

describe("lanes", () => {
  it("D-LANE 2: a full lane refuses, unsent, and leaves the others their capacity", async () => {
    const rig = await hanging({ capacities: { read: 2, change: 1, stop: 1 }, userShare: 1 });
    const api = rig.as("chief");
    const reads = settled([api.listServices(), api.listServices(), api.listServices()]);
    const changes = settled([api.resumeTrading(), api.resumeTrading()]);
    const stops = settled([disable(api), disable(api)]);
    await rig.until(() => rig.received().length >= 4);
    rig.gate.release();
    expect(await reads).toEqual(["ok", "ok", "ENGINE_OVERLOADED"]);
    expect(await changes).toEqual(["ok", "ENGINE_OVERLOADED"]);
    expect(await stops).toEqual(["ok", "ENGINE_OVERLOADED"]);
    expect(rig.audit.stages.filter((stage) => stage === "not-sent")).toHaveLength(2);
  });

  it("D-LOAD 6: one user gets a part of each lane, and the rest stays for others, stops included", async () => {
    const rig = await hanging({ capacities: { read: 4, change: 3, stop: 4 } });
    const [bad, good] = [rig.as("chief"), rig.as("dora")];
    const outcomes = (count: number, refused: number) => [
      ...Array<string>(count).fill("ok"),
      ...Array<string>(refused).fill("ENGINE_OVERLOADED"),
    ];
    const reads = settled([1, 2, 3, 4].map(() => bad.listServices()));
    const changes = settled([1, 2, 3].map(() => bad.resumeTrading()));
    const stops = settled([1, 2, 3].map(() => disable(bad)));
    await rig.until(() => rig.received().length >= 6);
    const others = settled([good.listServices(), good.resumeTrading(), disable(good)]);
    await rig.until(() => rig.received().length >= 9);
    rig.gate.release();
    expect([await reads, await changes, await stops]).toEqual([outcomes(2, 2), outcomes(2, 1), outcomes(2, 1)]);
    expect(await others).toEqual(["ok", "ok", "ok"]);
    expect(await settled([bad.listServices(), disable(bad)])).toEqual(["ok", "ok"]);
  });

  it("D-LOAD 6: of a lane that several users have filled, one with nothing in progress gets a place all the same", async () => {
    const rig = await hanging({ capacities: { read: 2 }, userShare: 1 });
    const [first, second, third] = ["a", "b", "c"].map((user) => rig.as(user));
    const reads = settled([first, second, first, third].map((api) => api?.getTradingStatus() ?? Promise.reject()));
    await rig.until(() => rig.received().length >= 3);
    rig.gate.release();
    expect(await reads).toEqual(["ok", "ok", "ENGINE_OVERLOADED", "ok"]);
  });

  it("D-LOAD 7: a reply with more than 250 rows makes the next one expected so, a short one does not, a refusal says nothing", async () => {
    const rig = await startTestRig({ largeReplies: 4, userShare: 1 });
    const api = rig.as("chief");
    const row = { name: "TWAP", type: "Algorithm", system: false, dma: false, enabled: true, status: null };
    /** How many of six reads are sent immediately after one with this reply. */
    const sentAfter = async (reply: EngineReply): Promise<number> => {
      rig.gate.replyWith(() => reply);
      await settled([api.listServices()]);
      rig.gate.hold();
      const before = rig.gate.seen.length;
      const reads = settled(Array.from({ length: 6 }, () => api.listServices()));
      await rig.until(() => rig.gate.seen.length > before);
      const sent = rig.gate.seen.length - before;
      rig.gate.release();
      await reads;
      return sent;
    };
    expect(await sentAfter({ ok: true, result: Array(250).fill(row) })).toBe(6);
    expect(await sentAfter({ ok: true, result: Array(251).fill(row) })).toBe(4);
    expect(await sentAfter({ ok: false, refusal: "rejected", message: "because" })).toBe(4);
  });

  it("D-LOAD 7: reads whose replies may be large wait for each other, small ones do not wait for them", async () => {
    const rig = await hanging({ largeReplies: 4 });
    const [bad, good] = [rig.as("chief"), rig.as("dora")];
    const large = settled(Array.from({ length: 7 }, () => bad.getRiskTable()));
    await rig.until(() => rig.received().length >= 4);
    const small = good.getTradingStatus();
    await rig.until(() => rig.received().length >= 5);
    rig.clock.advance(1_000);
    rig.gate.release();
    await small;
    expect(await large).toEqual(["ok", "ok", "ok", "ok", ...Array<string>(3).fill("ENGINE_OVERLOADED")]);
    expect(rig.clock.pending).toBe(0);
  });

  it("D-LOAD 7: a large read whose caller left while it waited is not sent, and its place goes to the next", async () => {
    const rig = await hanging({ largeReplies: 1 });
    const chief = principal("chief", []);
    const read = (isDisconnected: boolean): Promise<unknown> =>
      rig.api.call("getRiskTable", {}, chief, { isDisconnected: () => isDisconnected });
    const reads = settled([read(false), read(true), read(true), read(false)]);
    await rig.until(() => rig.received().length >= 1);
    rig.gate.release();
    expect(await reads).toEqual(["ok", "ENGINE_OVERLOADED", "ENGINE_OVERLOADED", "ok"]);
    expect(rig.received()).toHaveLength(2);
  });

  it("places are released after replies, refusals, timeouts and losses", async () => {
    const rig = await startTestRig({ capacities: { read: 1 }, timeoutMs: 50 });
    const api = rig.as("chief");
    await api.listServices();
    expect(await settled([api.getService({ name: "NOBODY" })])).toEqual(["NOT_FOUND"]);
    rig.gate.hold();
    const slow = settled([api.listServices()]);
    await rig.until(() => rig.clock.pending === 1);
    rig.clock.advance(50);
    expect(await slow).toEqual(["ENGINE_TIMEOUT"]);
    const lost = settled([api.listServices()]);
    await rig.until(() => rig.clock.pending === 1);
    rig.bus.detach();
    expect(await lost).toEqual(["ENGINE_UNAVAILABLE"]);
    expect(await settled([api.listServices()])).toEqual(["ENGINE_UNAVAILABLE"]);
    expect(rig.clock.pending).toBe(0);
  });
});

describe("replies", () => {
  it("D-ENG 12: a reply that breaks the operation's output is 500, its details in the failure event, a mutation's outcome unknown", async () => {
    const rig = await startTestRig();
    const failures: unknown[] = [];
    rig.api.on("failure", (failure) => failures.push(failure));
    rig.gate.replyWith(() => ({ ok: true, result: { secret: 1 } }));
    expect(await settled([rig.as("chief").haltTrading()])).toEqual(["ENGINE_FAILED"]);
    expect(rig.audit.stages).toEqual(["intent", "unknown"]);
    expect(failures).toMatchObject([
      { operation: "haltTrading", error: { code: "ENGINE_FAILED", cause: expect.anything() } },
    ]);
  });

  it("D-ENG 12: what fails unforeseen once a command was sent leaves its outcome unknown", async () => {
    const rig = await startTestRig();
    const cause = new RangeError("unforeseen");
    const result = {
      get sessionId(): string {
        throw cause;
      },
    };
    rig.gate.replyWith(() => ({ ok: true, result }));
    const session = { gateway: "OE1", session: "FIXCLIENT1" };
    const call = rig.as("chief").disableFixSession(session);
    await expect(call).rejects.toMatchObject({ code: "ENGINE_FAILED", cause });
    expect(rig.audit.stages).toEqual(["intent", "unknown"]);
  });

  it("fields that a newer engine adds are left out", async () => {
    const rig = await startTestRig();
    rig.gate.replyWith(() => ({ ok: true, result: { projectionPath: "", halted: true, reason: "x", since: 5 } }));
    expect(await rig.as("chief").getTradingStatus()).toEqual({ projectionPath: "", halted: true, reason: "x" });
  });

  it.each([
    ["rejected", "REJECTED", "rejected"],
    ["not-found", "NOT_FOUND", "rejected"],
    ["overloaded", "ENGINE_OVERLOADED", "not-sent"],
    ["unavailable", "ENGINE_UNAVAILABLE", "not-sent"],
    ["internal", "ENGINE_FAILED", "unknown"],
  ] as const)("D-ENG 14: the refusal %s is %s, the outcome %s", async (refusal, code, outcome) => {
    const rig = await startTestRig();
    rig.gate.replyWith(() => ({ ok: false, refusal, message: "because" }));
    const call = rig.as("chief").resumeTrading();
    await expect(call).rejects.toMatchObject({ code, ...(refusal === "internal" ? {} : { message: "because" }) });
    expect(rig.audit.stages).toEqual(["intent", outcome]);
  });
});
