import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Calls, RequestArrival } from "../../src/core/calls/call.ts";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import type { AuditRecord } from "../../src/core/records/record.ts";
import { startTestRig, type TestRig } from "../../src/testing/rig.ts";
import { cases, EVERYTHING } from "../support/extent.ts";

const chief = principal("chief", PERMISSIONS);

interface SlowRig extends TestRig {
  readonly records: readonly AuditRecord[];
  /** Calls whose records take so many milliseconds. */
  slow(requestId: string, delayMs: number): Calls;
  /** Lets time pass, and all that becomes possible by it happen. */
  pass(ms: number): Promise<void>;
}

/** A rig whose records take as long as is said for their request. */
async function slowRig(): Promise<SlowRig> {
  const delays = new Map<string, number>();
  const records: AuditRecord[] = [];
  const write = (record: AuditRecord): Promise<void> => {
    records.push(record);
    return new Promise((resolve) => void rig.clock.schedule(delays.get(record.requestId) ?? 0, resolve));
  };
  const rig: TestRig = await startTestRig({ audit: { write } });
  return {
    ...rig,
    records,
    slow: (requestId, delayMs) => {
      delays.set(requestId, delayMs);
      return rig.as("chief", { requestId });
    },
    pass: async (ms) => {
      rig.clock.advance(ms);
      // A timer, the turn that it allows what has happened, and what follows from it.
      for (let turns = 0; turns < 4; turns += 1) await turn();
    },
  };
}

/** Ids of the requests that have reached the engine, in order. */
function seen(rig: TestRig): string[] {
  return rig.gate.seen.map(({ context }) => context.requestId);
}

interface Target {
  readonly stop: (calls: Calls) => Promise<unknown>;
  readonly change: (calls: Calls) => Promise<unknown>;
  /** Names of the whole system, of what is around the target, and of itself. */
  readonly way: readonly string[];
}

const PATHS: readonly (readonly string[])[] = [
  [],
  ["Account[GOLD]"],
  ["Account[GOLDEN]"],
  ["Account[GOLD]", "Symbol[BTC/USD]"],
  ["Account[GOLD]", "Symbol[BTC]"],
  ["Symbol[BTC]", "Account[GOLD]"],
  ["Symbol[BTC]"],
];

const TARGETS: readonly Target[] = [
  ...PATHS.map((way): Target => {
    const projectionPath = way.join("/");
    return {
      way,
      stop: (calls) => calls.haltTrading({ projectionPath }),
      change: (calls) => calls.resumeTrading({ projectionPath }),
    };
  }),
  {
    way: ["Account[GOLD]", "Symbol[BTC/USD]"],
    stop: (calls) => calls.haltTrading({ projectionPath: "Account[GOLD]/Symbol[BTC/USD]" }),
    change: (calls) => calls.adjustPosition({ projectionPath: "Account[GOLD]/Symbol[BTC/USD]", size: "1" }),
  },
  {
    way: ["service TWAP"],
    stop: (calls) => calls.disableService({ name: "TWAP" }),
    change: (calls) => calls.enableService({ name: "TWAP" }),
  },
  ...["disableFixSession", "disconnectFixSession"].map((name): Target => {
    const session = { gateway: "OE1", session: "CLIENT1" };
    return {
      way: ["session OE1 CLIENT1"],
      stop: (calls) => calls[name as "disableFixSession"](session),
      change: (calls) => calls.enableFixSession(session),
    };
  }),
  {
    way: ["risk table Account"],
    stop: (calls) => calls.disableService({ name: "Account" }),
    change: (calls) =>
      calls.updateRiskTable({
        projection: "Account",
        commands: [{ type: "UPDATE", conditions: { Account: "GOLD" }, limits: { MaxOrderSize: "1" } }],
      }),
  },
];

/** Whether a stop of one target has to go before changes of another; a service "Account" is not a risk table. */
function covers(stop: Target, change: Target): boolean {
  if (stop.way[0]?.startsWith("risk table")) return false;
  return stop.way.every((step) => change.way.includes(step));
}

const step = fc.record({
  target: fc.constantFrom(...TARGETS),
  isStop: fc.boolean(),
  /** Time until it is called. */
  after: fc.integer({ min: 0, max: 400 }),
  recordMs: fc.integer({ min: 0, max: 1_500 }),
});

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Calls everything in its time; returns what the engine has seen, and how each call ended. */
async function play(steps: readonly Step[]): Promise<{ order: string[]; outcomes: string[] }> {
  const rig = await slowRig();
  const outcomes: Promise<string>[] = [];
  for (const [index, { target, isStop, after, recordMs }] of steps.entries()) {
    await rig.pass(after);
    const calls = rig.slow(`${index}`, recordMs);
    const done = isStop ? target.stop(calls) : target.change(calls);
    outcomes.push(done.then(() => "ok").catch((error: { code: string }) => error.code));
  }
  for (let waits = 0; waits < 20; waits += 1) await rig.pass(500);
  const order = seen(rig);
  await rig.close();
  return { order, outcomes: await Promise.all(outcomes) };
}

/** Indexes of the stops that were called after a change and cover it. */
function laterStops(steps: readonly Step[], change: number): number[] {
  return steps.flatMap(({ isStop, target }, index) => {
    const changed = steps[change]?.target;
    return isStop && index > change && changed && covers(target, changed) ? [index] : [];
  });
}

describe("D-LOAD 1: a change that was called before a stop never reaches the engine after it", () => {
  it("whatever the order in which records are written", async () => {
    let refusals = 0;
    const property = fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
      const { order, outcomes } = await play(steps);
      for (const [index, { isStop }] of steps.entries()) {
        if (isStop) {
          expect(order).toContain(`${index}`);
          continue;
        }
        const stops = laterStops(steps, index);
        const at = order.indexOf(`${index}`);
        for (const stop of stops) expect(at).toBeLessThan(order.indexOf(`${stop}`));
        if (outcomes[index] !== "STOP_CAME_FIRST") continue;
        refusals += 1;
        expect({ at, isCovered: stops.length > 0 }).toEqual({ at: -1, isCovered: true });
      }
    });
    // One that is certainly refused: its record takes longer than the stop needs.
    const refused = TARGETS.slice(0, 1).flatMap((target) => [
      { target, isStop: false, after: 0, recordMs: 1_500 },
      { target, isStop: true, after: 1, recordMs: 0 },
    ]);
    await fc.assert(property, { numRuns: cases(150), examples: [[refused]] });
    expect(refusals).toBeGreaterThan(EVERYTHING ? 20 : 0);
  });

  it("but is refused as not sent, 429, with the reason, and recorded so", async () => {
    const rig = await slowRig();
    const change = rig.slow("change", 100).resumeTrading({ projectionPath: "Account[GOLD]" });
    const refused = expect(change).rejects.toMatchObject({
      code: "STOP_CAME_FIRST",
      status: 429,
      outcome: "not-sent",
      message:
        "A stop (haltTrading of everything) was asked for after this change and before it could be sent; nothing was sent",
    });
    await rig.pass(50);
    // Its own record may take longer: the change must not slip in before it.
    const stop = rig.slow("stop", 400).haltTrading();
    for (let ms = 0; ms < 300; ms += 50) await rig.pass(50);
    await refused;
    expect(seen(rig)).toEqual([]);
    for (let waits = 0; waits < 3; waits += 1) await rig.pass(400);
    await stop;
    expect(rig.records.filter(({ operation }) => operation === "resumeTrading")).toMatchObject([
      { stage: "intent" },
      { stage: "not-sent", status: 429 },
    ]);
  });

  it("whenever the stop comes, even where a sink keeps its record immediately and that of the change later", async () => {
    for (let turns = 0; turns < 30; turns += 1) {
      let keep: () => void = () => {};
      const kept = new Promise<void>((resolve) => {
        keep = resolve;
      });
      const write = ({ requestId }: AuditRecord) => (requestId === "change" ? kept : undefined);
      const rig = await startTestRig({ audit: { write } });
      const change = rig.as("chief", { requestId: "change" }).resumeTrading();
      await turn();
      const stop = rig.as("chief", { requestId: "stop" }).haltTrading();
      for (let waits = 0; waits < turns; waits += 1) await undefined;
      keep();
      await Promise.allSettled([change, stop]);
      expect([["stop"], ["change", "stop"]]).toContainEqual(seen(rig));
      await rig.close();
    }
  });

  it("whenever they are called: what counts is when their requests arrived", async () => {
    const rig = await startTestRig();
    const [earliest, early, stop, late] = Array.from({ length: 4 }, () => rig.api.arrive());
    const resume = (arrival: RequestArrival | undefined): Promise<null> => rig.as("chief", { arrival }).resumeTrading();
    expect(await rig.as("chief", { arrival: stop }).haltTrading()).toBeNull();
    await expect(resume(earliest)).rejects.toMatchObject({ code: "STOP_CAME_FIRST" });
    expect(await resume(late)).toBeNull();
    // A stop that arrived before another, and is asked for only after it, does not take its place.
    expect(await rig.as("chief", { arrival: earliest }).haltTrading()).toBeNull();
    await expect(resume(early)).rejects.toMatchObject({ code: "STOP_CAME_FIRST" });
    expect(await resume(late)).toBeNull();
  });

  it("unless the stop is of a child, or of a name that only begins alike", async () => {
    const rig = await startTestRig();
    const calls = rig.as("chief");
    const changes = [calls.resumeTrading(), calls.resumeTrading({ projectionPath: "Account[GOLDEN]" })];
    await calls.haltTrading({ projectionPath: "Account[GOLD]" });
    expect(await Promise.all(changes)).toEqual([null, null]);
  });

  it("unless the stop is denied or invalid", async () => {
    const rig = await startTestRig();
    const change = rig.as("chief").resumeTrading();
    await expect(rig.as(principal("eve")).haltTrading()).rejects.toMatchObject({ status: 403 });
    await expect(rig.as("chief").haltTrading({ projectionPath: "Nonsense" })).rejects.toMatchObject({ status: 400 });
    expect(await change).toBeNull();
  });

  it("whereas a change that was called after a stop is sent, even if the stop's input came later", async () => {
    const rig = await startTestRig();
    let give: (input: unknown) => void = () => {};
    const input = new Promise((resolve) => {
      give = resolve;
    });
    const stop = rig.api.invoke("haltTrading", { known: {}, read: () => input }, chief, { requestId: "stop" });
    const change = rig.as("chief", { requestId: "change" }).resumeTrading();
    give({});
    expect(await Promise.all([stop, change])).toEqual([null, null]);
  });

  it("and a stop is forgotten when no older change is pending", async () => {
    const rig = await startTestRig();
    const calls = rig.as("chief");
    await Promise.allSettled([calls.resumeTrading(), calls.haltTrading()]);
    expect(await calls.resumeTrading()).toBeNull();
  });

  it("and of thousands of stops while a change is pending, those beyond a thousand targets count as a stop of everything", async () => {
    const rig = await slowRig();
    const change = rig.slow("change", 1_000).resumeTrading({ projectionPath: "Account[OTHER]" });
    const stops = Array.from({ length: 1_001 }, (_, index) =>
      rig.slow(`${index}`, 0).disableService({ name: `service ${index}` }),
    );
    const outcomes = Promise.allSettled([change, ...stops]);
    for (let waits = 0; waits < 20; waits += 1) await rig.pass(200);
    expect((await outcomes)[0]).toMatchObject({ reason: { code: "STOP_CAME_FIRST" } });
  });

  it("among which those before a change that has ended do not count", async () => {
    const rig = await slowRig();
    const other = { projectionPath: "Account[OTHER]" };
    const first = rig.slow("first", 1_000).resumeTrading(other);
    const stops = Array.from({ length: 1_000 }, (_, index) =>
      rig.slow(`${index}`, 0).disableService({ name: `service ${index}` }),
    );
    const ended = Promise.allSettled([first, ...stops]);
    for (let waits = 0; waits < 20; waits += 1) await rig.pass(200);
    expect((await ended)[0]).toMatchObject({ status: "fulfilled" });
    const second = rig.slow("second", 100).resumeTrading(other);
    const stop = rig.slow("stop", 0).disableService({ name: "TWAP" });
    for (let waits = 0; waits < 4; waits += 1) await rig.pass(100);
    expect(await Promise.all([second, stop])).toEqual([null, null]);
  });
});

describe("D-ENG 15: the deadline of a change counts from its arrival, that of a stop from the moment at which its input is complete", () => {
  /** The deadlines of a change and of a stop whose input takes so long, after the time at which they were called. */
  async function deadlines(inputMs: number): Promise<{ rig: TestRig; after: number[]; ended: unknown[] }> {
    const rig = await startTestRig();
    const calledAt = rig.clock.now();
    const paths = { resumeTrading: "", haltTrading: "Account[GOLD]" };
    const calls = (["resumeTrading", "haltTrading"] as const).map((name) => {
      const projectionPath = paths[name];
      const input = new Promise((resolve) => rig.clock.schedule(inputMs, () => resolve({ projectionPath })));
      return rig.api
        .invoke(name, { known: {}, read: () => input }, chief)
        .catch(({ code, message }) => ({ code, message }));
    });
    rig.clock.advance(inputMs);
    const ended = await Promise.all(calls);
    return { rig, after: rig.gate.seen.map(({ context: { deadline } }) => deadline - calledAt), ended };
  }

  it("and what the input takes is missing from the engine's time for the change", async () => {
    expect(await deadlines(9_000)).toMatchObject({ after: [10_000, 19_000], ended: [null, null] });
  });

  it("and a change that is complete only then is refused, recorded and never sent", async () => {
    const { rig, after, ended } = await deadlines(10_000);
    const message = "The change took too long to arrive or to be checked; nothing was sent";
    expect({ after, ended }).toEqual({ after: [20_000], ended: [{ code: "REQUEST_TIMEOUT", message }, null] });
    expect(rig.audit.records.filter(({ operation }) => operation === "resumeTrading")).toMatchObject([
      { stage: "denied", status: 408, message, durationMs: 10_000 },
    ]);
  });

  it("and what the record takes is missing from the engine's time", async () => {
    const rig = await slowRig();
    const calledAt = rig.clock.now();
    const change = rig.slow("change", 9_000).resumeTrading();
    await rig.pass(0);
    await rig.pass(9_000);
    expect(rig.gate.seen[0]?.context.deadline).toBe(calledAt + 10_000);
    await rig.pass(9_000);
    expect(await change).toBeNull();
  });

  it("and a change whose record takes longer than that is refused and never sent", async () => {
    const rig = await slowRig();
    const change = rig.slow("change", 10_001).resumeTrading();
    const outcome = expect(change).rejects.toMatchObject({ code: "AUDIT_UNAVAILABLE", outcome: "not-sent" });
    await rig.pass(0);
    await rig.pass(10_000);
    await outcome;
    await rig.pass(10_000);
    expect(rig.gate.seen).toEqual([]);
  });

  it("and of a change for whose record too little time is left, so that no disk is blamed for it", async () => {
    const { rig, ended } = await deadlines(9_501);
    expect(ended[0]).toMatchObject({ code: "REQUEST_TIMEOUT" });
    expect(rig.audit.records.filter(({ operation }) => operation === "resumeTrading")).toHaveLength(1);
  });

  it("D-LOG 13: and a stop is sent after half a second without its record, with time left for the engine", async () => {
    for (const [timeoutMs, waitMs] of [
      [10_000, 500],
      [600, 300],
    ] as const) {
      const rig = await startTestRig({ audit: { write: () => new Promise<void>(() => {}) }, timeoutMs });
      const { clock } = rig;
      const calledAt = clock.now();
      const stop = rig.as("chief").haltTrading();
      await turn();
      clock.advance(waitMs - 1);
      await turn();
      expect(rig.gate.seen).toEqual([]);
      clock.advance(1);
      await turn();
      await turn();
      expect(rig.gate.seen[0]?.context.deadline).toBe(calledAt + timeoutMs);
      clock.advance(500);
      expect(await stop).toBeNull();
    }
  });
});
