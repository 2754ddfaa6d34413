import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AuditRecord, AuditSink } from "../../../src/core/records/record.ts";
import type { KnownStops } from "../../../src/core/stops/known-stops.ts";
import { MemoryAudit, startTestRig, type TestRig, type TestRigOptions } from "../../../src/testing/rig.ts";

const NODE = "Account[GOLD]";

let rig: TestRig;
/** Messages of the events, in their order. */
let told: string[];

async function start({ history, ...options }: TestRigOptions & Pick<AuditSink, "history"> = {}): Promise<void> {
  await rig?.close();
  const audit = Object.assign(new MemoryAudit(), { history });
  rig = { ...(await startTestRig({ gateway: "gw", stopCheck: true, audit, ...options })), audit };
  told = [];
  rig.api.on("stateLost", ({ message = "" }) => told.push(message));
  rig.api.on("stateShown", ({ message = "" }) => told.push(message));
}

beforeEach(() => start());
afterEach(() => rig.close());

/** Lets the held clock continue in small steps, and the program run in each. */
async function pass(seconds: number): Promise<void> {
  for (let step = 0; step < seconds * 2; step += 1) {
    rig.clock.advance(500);
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  }
}

/** What an engine does that is restarted without its stops, or a person who works at the engine itself. */
function forget(projectionPath = NODE): void {
  rig.engine.resumeTrading({ projectionPath, reason: "restarted" });
}

const alice = (): ReturnType<TestRig["as"]> => rig.as("alice");
const lost = async (): Promise<unknown> => (await rig.as("viewer").listHalts()).lost;
const noticed = (): AuditRecord[] => rig.audit.records.filter(({ event }) => event !== undefined);

describe("D-ENG 18: a stop that the engine no longer shows is reported once", () => {
  it("as an event, as an audit record with the command's fields, and to those who ask what is halted", async () => {
    await alice().haltTrading({ projectionPath: NODE, reason: "bad algo" });
    await pass(20);
    expect(told).toEqual([]);
    forget();
    await pass(60);
    expect(told).toEqual(["Account[GOLD] is no longer halted at the engine (halted 09:30:00 by alice: bad algo)"]);
    const [intent] = rig.audit.records;
    expect(noticed()).toMatchObject([
      {
        id: intent?.id,
        stage: "state-lost",
        event: "state-lost",
        operation: "haltTrading",
        target: NODE,
        user: "alice",
        requestId: intent?.requestId,
        since: rig.audit.records[1]?.time,
        reason: "bad algo",
        message: told[0],
      },
    ]);
    expect(noticed()[0]?.status).toBeUndefined();
    const targetFields = { projectionPath: NODE };
    const halt = {
      operation: "haltTrading",
      target: NODE,
      targetFields,
      reason: "bad algo",
      by: "alice",
      since: expect.any(Number),
    };
    expect(await lost()).toEqual([halt]);
    expect(rig.api.stops.count("haltTrading")).toBe(0);
    // Nothing was repeated by itself.
    expect(rig.received("haltTrading")).toHaveLength(1);
  });

  it("with its target as it was named, which a record has escaped: to halt that again would halt another node", async () => {
    const node = "Account[GO\u200bLD]";
    await alice().haltTrading({ projectionPath: node });
    await pass(20);
    forget(node);
    await pass(60);
    expect(noticed()).toMatchObject([{ target: "Account[GO\\u200bLD]" }]);
    expect(await lost()).toMatchObject([{ target: node }]);
  });

  it.each<[string, () => Promise<unknown>, () => unknown, string]>([
    [
      "of the whole system",
      () => alice().haltTrading({ reason: "bad algo" }),
      () => forget(""),
      "Trading is no longer halted at the engine (halted 09:30:00 by alice: bad algo)",
    ],
    [
      "of a service",
      () => alice().disableService({ name: "TWAP", reason: "runaway" }),
      () => rig.engine.enableService({ name: "TWAP", reason: "" }),
      "TWAP is no longer disabled at the engine (disabled 09:30:00 by alice: runaway)",
    ],
    [
      "of a FIX session",
      () => alice().disableFixSession({ gateway: "OE1", session: "FIXCLIENT1" }),
      () => rig.engine.enableFixSession({ gateway: "OE1", session: "FIXCLIENT1" }),
      "OE1/FIXCLIENT1 is no longer disabled at the engine (disabled 09:30:00 by alice)",
    ],
  ])("the stop %s", async (_, stop, undo, words) => {
    await stop();
    await pass(10);
    undo();
    await pass(40);
    expect(told).toEqual([words]);
  });

  it("also after a comparison has failed, which is reported and ends nothing", async () => {
    const failures: unknown[] = [];
    rig.api.on("failure", ({ error }) => failures.push(error.message));
    await alice().haltTrading({ projectionPath: NODE, reason: "bad algo" });
    await pass(20);
    forget();
    vi.spyOn(rig.api.stops as KnownStops, "note").mockImplementationOnce(() => {
      throw new Error("a defect");
    });
    await pass(60);
    expect(failures).toEqual(["A stop could not be compared with the engine"]);
    expect(told).toHaveLength(1);
  });

  it("soon after a new link, and not only at the slow pace", async () => {
    await alice().haltTrading({ projectionPath: NODE });
    await pass(7);
    forget();
    await pass(1);
    rig.api.compareStops();
    await pass(3);
    expect(told).toHaveLength(1);
  });

  it("after a new link the list of halts warns until the stops have been compared, whether they are shown or lost", async () => {
    const warnings: string[] = [];
    const list = (): Promise<unknown> => rig.as("viewer", { onWarning: (words) => warnings.push(words) }).listHalts();
    await alice().haltTrading({ projectionPath: NODE });
    await alice().disableService({ name: "TWAP" });
    await pass(7);
    await list();
    expect(warnings).toEqual([]);
    forget();
    await pass(1);
    rig.api.compareStops();
    await list();
    await pass(1);
    await list();
    expect(warnings.map((words) => words.slice(0, 58))).toEqual([
      "2 stops are not checked yet since the engine connected, an",
      "1 stop is not checked yet since the engine connected, and ",
    ]);
    await pass(3);
    expect(await lost()).toHaveLength(1);
    await list();
    expect(warnings).toHaveLength(2);
  });

  it("a stop that is given after a new link need not be compared", async () => {
    const warnings: string[] = [];
    await alice().haltTrading({ projectionPath: NODE });
    await pass(7);
    forget();
    rig.api.compareStops();
    await alice().haltTrading({ projectionPath: NODE });
    await rig.as("viewer", { onWarning: (words) => warnings.push(words) }).listHalts();
    expect(warnings).toEqual([]);
  });

  it("a target that the engine does not have any more is one that it no longer shows", async () => {
    await alice().disableService({ name: "TWAP" });
    await pass(10);
    rig.gate.replyWith(() => ({ ok: false, refusal: "not-found", message: "unknown service" }));
    await pass(40);
    expect(told).toHaveLength(1);
  });

  it.each<[string, () => Promise<unknown>]>([
    ["a new halt", () => alice().haltTrading({ projectionPath: NODE, reason: "again" })],
    ["a resume, which says that it was meant so", () => alice().resumeTrading({ projectionPath: NODE })],
  ])("%s deals with it", async (_, command) => {
    await alice().haltTrading({ projectionPath: NODE });
    await pass(10);
    forget();
    await pass(40);
    expect(await lost()).toHaveLength(1);
    await command();
    expect(await lost()).toBeUndefined();
    await pass(40);
    expect(told).toHaveLength(1);
  });

  it("an engine that shows it again is reported once, too, and after that it can be lost again", async () => {
    await alice().haltTrading({ projectionPath: NODE, reason: "x" });
    await pass(10);
    forget();
    await pass(40);
    rig.engine.haltTrading({ projectionPath: NODE, reason: "x", cancelOrders: false });
    await pass(60);
    expect(told.slice(1)).toEqual([
      "The engine shows the stop again: haltTrading of Account[GOLD] by alice at 09:30:00 (x)",
    ]);
    expect(await lost()).toBeUndefined();
    forget();
    await pass(60);
    expect(told).toHaveLength(3);
  });
});

describe("D-ENG 18: a resume of unknown outcome ends no watch", () => {
  it("once a read has shown the stop after its deadline, a stop that is forgotten is lost", async () => {
    await alice().haltTrading({ projectionPath: NODE });
    rig.faults.add({ operation: "resumeTrading", kind: "drop" });
    const resumed = alice().resumeTrading({ projectionPath: NODE });
    await Promise.all([expect(resumed).rejects.toMatchObject({ status: 504 }), pass(20)]);
    await pass(40);
    expect(told).toEqual([]);
    forget();
    await pass(40);
    expect(told).toHaveLength(1);
  });
});

describe("D-ENG 18: no false alarm", () => {
  it.each<[string, () => Promise<unknown>]>([
    ["a resume through this API", () => alice().resumeTrading({ projectionPath: NODE })],
    [
      "a resume whose outcome is unknown, and that was carried out",
      async () => {
        rig.faults.add({ operation: "resumeTrading", kind: "cut-after" });
        await expect(alice().resumeTrading({ projectionPath: NODE })).rejects.toMatchObject({ status: 504 });
      },
    ],
  ])("%s", async (_, command) => {
    await alice().haltTrading({ projectionPath: NODE });
    await pass(10);
    await command();
    await pass(60);
    expect(told).toEqual([]);
  });

  it("a resume in progress, and one that ends while the state is read", async () => {
    await alice().haltTrading({ projectionPath: NODE });
    await pass(10);
    rig.gate.hold();
    rig.api.compareStops();
    await pass(1);
    const resuming = alice().resumeTrading({ projectionPath: NODE });
    await pass(1);
    rig.gate.release();
    await resuming;
    await pass(60);
    expect(told).toEqual([]);
  });

  it.each(["internal", "unavailable", "overloaded", "rejected", "unsupported"] as const)(
    "an engine that says %s to reads",
    async (refusal) => {
      await alice().haltTrading({ projectionPath: NODE });
      rig.gate.replyWith(() => ({ ok: false, refusal, message: "no" }));
      await pass(60);
      expect(told).toEqual([]);
      rig.gate.replyWith(undefined);
      await pass(60);
      expect(told).toEqual([]);
    },
  );

  it("an engine that hangs", async () => {
    await alice().haltTrading({ projectionPath: NODE });
    rig.gate.hold();
    await pass(60);
    rig.gate.release();
    await pass(60);
    expect(told).toEqual([]);
  });

  it("an engine that shows it only in the second read: it may still load its own state", async () => {
    await alice().haltTrading({ projectionPath: NODE, reason: "x" });
    await pass(10);
    forget();
    await pass(1);
    rig.api.compareStops();
    await pass(1);
    rig.engine.haltTrading({ projectionPath: NODE, reason: "x", cancelOrders: false });
    await pass(60);
    expect(told).toEqual([]);
  });

  it("a halt that was refused, or whose outcome is unknown and that was never carried out", async () => {
    rig.gate.replyWith(() => ({ ok: false, refusal: "rejected", message: "no" }));
    await alice()
      .haltTrading({ projectionPath: NODE })
      .catch(() => {});
    rig.gate.replyWith(undefined);
    rig.faults.add({ operation: "haltTrading", kind: "unavailable" });
    await alice()
      .haltTrading({ projectionPath: "Account[B]" })
      .catch(() => {});
    await pass(60);
    expect(told).toEqual([]);
  });

  it("switched off, it reads nothing", async () => {
    await start({ stopCheck: false });
    await alice().haltTrading({ projectionPath: NODE });
    forget();
    await pass(60);
    expect(told).toEqual([]);
    expect(rig.received("getTradingStatus")).toEqual([]);
  });

  it("and while nothing is stopped, nothing is read and no timer runs", async () => {
    rig.api.compareStops();
    await pass(60);
    expect(rig.received()).toEqual([]);
    await alice().haltTrading();
    await alice().resumeTrading();
    await pass(60);
    expect(rig.received("getTradingStatus")).toEqual([]);
  });
});

describe("D-ENG 20: a later read that shows a stop of unknown outcome is noted once", () => {
  it("in the audit trail and as an event, and the stop counts from then on", async () => {
    rig.faults.add({ operation: "haltTrading", kind: "cut-after" });
    const halting = alice().haltTrading({ projectionPath: NODE, reason: "late halt" });
    await expect(halting).rejects.toMatchObject({ status: 504 });
    expect(rig.api.stops.count("haltTrading")).toBe(0);
    await pass(60);
    expect(told).toEqual([
      "The engine shows the stop whose outcome was unknown: haltTrading of Account[GOLD] by alice at 09:30:00 (late halt)",
    ]);
    expect(noticed()).toMatchObject([{ stage: "state-shown", operation: "haltTrading", target: NODE, user: "alice" }]);
    expect(rig.api.stops.count("haltTrading")).toBe(1);
  });

  it("but not by the halt of somebody else, which has another reason", async () => {
    rig.faults.add({ operation: "haltTrading", kind: "drop" });
    const halting = alice()
      .haltTrading({ projectionPath: NODE, reason: "mine" })
      .catch((error: unknown) => error);
    await pass(12);
    await halting;
    rig.engine.haltTrading({ projectionPath: NODE, reason: "theirs", cancelOrders: false });
    await pass(60);
    expect(told).toEqual([]);
  });
});

describe("D-ENG 19: earlier records", () => {
  /** What an audit file has, once the clock of the next rig is at its start again. */
  async function* history(...records: AuditRecord[]): AsyncGenerator<AuditRecord> {
    yield* records;
  }

  async function recorded(...commands: (() => Promise<unknown>)[]): Promise<AuditRecord[]> {
    for (const command of commands) await command().catch(() => {});
    return [...rig.audit.records];
  }

  it("of a stop without an outcome: it is of unknown outcome, and a read that shows it is noted", async () => {
    const [intent] = await recorded(() => alice().haltTrading({ projectionPath: NODE, reason: "cut" }));
    if (!intent) throw new Error("nothing was recorded");
    await start({ history: history(intent) });
    rig.engine.haltTrading({ projectionPath: NODE, reason: "cut", cancelOrders: false });
    await pass(30);
    expect(told).toEqual([expect.stringMatching(/^The engine shows the stop whose outcome was unknown: haltTrading/)]);
    expect(noticed().map(({ stage }) => stage)).toEqual(["cut-off", "state-shown"]);
    expect(rig.api.stops.count("haltTrading")).toBe(1);
  });

  it("of a resume without an outcome: while the engine shows the halt, it is watched", async () => {
    const records = await recorded(
      () => alice().haltTrading({ projectionPath: NODE }),
      () => alice().resumeTrading({ projectionPath: NODE }),
    );
    await start({ history: history(...records.slice(0, -1)) });
    rig.engine.haltTrading({ projectionPath: NODE, reason: "Trading halted", cancelOrders: false });
    await pass(40);
    forget();
    await pass(40);
    expect(told).toEqual([expect.stringMatching(/^Account\[GOLD\] is no longer halted at the engine/)]);
  });

  it("D-LOG 2: of a halt whose time is damaged: it is lost all the same, and nothing ends the program", async () => {
    const records = await recorded(() => alice().haltTrading({ projectionPath: NODE, reason: "bad algo" }));
    await start({ history: history(...records.map((record) => ({ ...record, time: "2026-11-28TO1:49" }))) });
    await pass(30);
    expect(told).toEqual([expect.stringMatching(/^Account\[GOLD\] is no longer halted at the engine/)]);
  });

  it("of a halt that the engine does not show after the start: it is lost, once", async () => {
    const records = await recorded(() => alice().haltTrading({ projectionPath: NODE, reason: "bad algo" }));
    await start({ history: history(...records) });
    await pass(30);
    expect(told).toHaveLength(1);
    const all = [...records, ...rig.audit.records];
    await start({ history: history(...all) });
    await pass(30);
    expect(told).toEqual([]);
    expect(await lost()).toHaveLength(1);
  });

  it("and what is commanded while they are read is later", async () => {
    const records = await recorded(() => alice().haltTrading({ projectionPath: NODE }));
    let read = (): void => {};
    const reading = new Promise<void>((resolve) => {
      read = resolve;
    });
    async function* slowly(): AsyncGenerator<AuditRecord> {
      await reading;
      yield* records;
    }
    await start({ history: slowly() });
    await alice().resumeTrading({ projectionPath: NODE });
    read();
    await pass(60);
    expect(told).toEqual([]);
    expect(rig.api.stops.count("haltTrading")).toBe(0);
  });

  it("that cannot be read leave the API at work, and are reported", async () => {
    const failures: string[] = [];
    // biome-ignore lint/correctness/useYield: it fails before it has anything.
    async function* broken(): AsyncGenerator<AuditRecord> {
      await new Promise(setImmediate);
      throw new Error("EIO");
    }
    await start({ history: broken() });
    rig.api.on("failure", ({ error }) => failures.push(error.message));
    await pass(1);
    expect(failures).toEqual([expect.stringContaining("cannot be read")]);
    await alice().haltTrading({ projectionPath: NODE });
    expect(rig.api.stops.count("haltTrading")).toBe(1);
  });
});
