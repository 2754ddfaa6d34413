import { describe, expect, it } from "vitest";
import type { FaultKind } from "../../src/testing/faults.ts";
import { startTestRig, type TestRig } from "../../src/testing/rig.ts";

interface Case {
  readonly fault: FaultKind;
  /** What the caller of a halt gets, by status, once ten seconds have passed. */
  readonly status: number;
  readonly stages: readonly string[];
  /** Requests that were sent. */
  readonly sent: number;
  /** Whether the engine halts. */
  readonly halts: boolean;
}

const CASES: readonly Case[] = [
  { fault: { kind: "delay", ms: 3_000 }, status: 200, stages: ["intent", "applied"], sent: 1, halts: true },
  {
    fault: { kind: "delay", ms: 10_000 },
    status: 504,
    stages: ["intent", "unknown", "applied late"],
    sent: 1,
    halts: true,
  },
  { fault: { kind: "drop" }, status: 504, stages: ["intent", "unknown"], sent: 1, halts: false },
  { fault: { kind: "late" }, status: 504, stages: ["intent", "unknown", "applied late"], sent: 1, halts: true },
  { fault: { kind: "twice" }, status: 200, stages: ["intent", "applied"], sent: 1, halts: true },
  { fault: { kind: "reject", message: "not now" }, status: 400, stages: ["intent", "rejected"], sent: 1, halts: false },
  { fault: { kind: "overload" }, status: 429, stages: ["intent", "not-sent"], sent: 0, halts: false },
  { fault: { kind: "unavailable" }, status: 503, stages: ["intent", "not-sent"], sent: 0, halts: false },
  { fault: { kind: "cut-before" }, status: 503, stages: ["intent", "not-sent"], sent: 0, halts: false },
  { fault: { kind: "cut-after" }, status: 504, stages: ["intent", "unknown"], sent: 1, halts: true },
  { fault: { kind: "garbage" }, status: 500, stages: ["intent", "unknown"], sent: 1, halts: true },
];

async function statusOf(call: Promise<unknown>): Promise<number> {
  return call.then(
    () => 200,
    ({ status }: { status: number }) => status,
  );
}

describe.each(CASES)("TC: fault $fault", ({ fault, status, stages, sent, halts }) => {
  it(`gives a halt ${status}, recorded as ${stages.join(", ")}, sent ${sent} times`, async () => {
    const rig = await startTestRig();
    rig.faults.add({ operation: "haltTrading", ...fault });
    let ended: number | undefined;
    void statusOf(rig.as("chief").haltTrading({ reason: "drill" })).then((found) => {
      ended = found;
    });
    expect(await rig.until(() => ended)).toBe(status);
    await rig.until(() => rig.audit.stages.length >= stages.length);
    rig.clock.advance(1_000);
    expect(rig.audit.stages).toEqual(stages);
    expect(rig.received("haltTrading")).toHaveLength(sent);
    expect((await rig.as("chief").getTradingStatus()).halted).toBe(halts);

    rig.faults.clear();
    expect(await statusOf(rig.as("chief").haltTrading())).toBe(200);
    await rig.close();
  });
});

/** Which of so many reads of the status succeed. */
async function answered(rig: TestRig, count: number): Promise<boolean[]> {
  const results: boolean[] = [];
  for (let index = 0; index < count; index += 1) {
    results.push((await statusOf(rig.as("chief").getTradingStatus())) === 200);
  }
  return results;
}

describe("TC: the requests that a fault is for", () => {
  it("are so many", async () => {
    const rig = await startTestRig();
    rig.faults.add({ kind: "overload", times: 2 });
    expect(await answered(rig, 4)).toEqual([false, false, true, true]);
  });

  it("may be only the nth", async () => {
    const rig = await startTestRig();
    rig.faults.add({ operation: "getTradingStatus", kind: "unavailable", nth: 3 });
    expect(await answered(rig, 4)).toEqual([true, true, false, true]);
  });

  it("are those of one operation, and of it what a predicate says, typed by its input", async () => {
    const rig = await startTestRig();
    rig.faults.add({ operation: "haltTrading", kind: "overload", when: ({ input }) => input.projectionPath !== "" });
    expect(await answered(rig, 1)).toEqual([true]);
    expect(await statusOf(rig.as("chief").haltTrading())).toBe(200);
    expect(await statusOf(rig.as("chief").haltTrading({ projectionPath: "Account[GOLD]" }))).toBe(429);
  });

  it("are taken by the first fault that fits, and then the next", async () => {
    const rig = await startTestRig();
    rig.faults.add({ kind: "overload", times: 1 });
    rig.faults.add({ kind: "unavailable", times: 1 });
    const statuses = [];
    for (let index = 0; index < 3; index += 1) statuses.push(await statusOf(rig.as("chief").haltTrading()));
    expect(statuses).toEqual([429, 503, 200]);
  });
});
