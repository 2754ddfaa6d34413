import { describe, expect, it } from "vitest";
import type { EngineReply, EngineRequest } from "../../src/core/engine/transport.ts";
import { type OperationName, operationRecord, operations } from "../../src/core/operations/table.ts";
import { type Engine, EngineRejection } from "../../src/engine/engine.ts";
import { type EngineHandler, serveEngine } from "../../src/engine/serve.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

const GOLD = "Account[GOLD]";
const NOW = 1_800_000_000_000;

interface Times {
  readonly arrived?: number;
  readonly arrivedWithin?: number;
}

/** An engine that notes what it carries out, and its end of a bus. */
async function served() {
  const clock = new ManualClock(NOW);
  const done: string[] = [];
  const handlers: EngineHandler[] = [];
  let refusing = false;
  let work: Promise<void> | undefined;
  const methods = Object.keys(operations).map((name) => [
    name,
    (input: object) => {
      if (refusing) throw new EngineRejection("rejected", "not today");
      done.push(`${name} ${Object.values(input).join(" ")}`.trim());
      return work?.then(() => null) ?? null;
    },
  ]);
  await serveEngine(Object.fromEntries(methods) as Engine, { listen: (handler) => void handlers.push(handler) }, clock);
  /** Sends a command whose times are given before or after some moment in the past. */
  const send = async (
    method: OperationName,
    input: object,
    { arrived, arrivedWithin }: Times = {},
    age?: () => number,
  ) => {
    const times = arrived === undefined ? {} : { arrived: NOW - 60_000 + arrived, arrivedWithin: arrivedWithin ?? 0 };
    const context = { user: "chief", requestId: "r", deadline: clock.now() + 10_000, timeLeft: 10_000, ...times };
    const request: EngineRequest = { method, input, lane: operationRecord(operations, method).lane, context, age };
    const reply = (await handlers[0]?.(request)) as EngineReply;
    return reply.ok ? "carried out" : `${reply.refusal}: ${reply.message}`;
  };
  /** Makes the engine slow; the result ends that. */
  const hold = () => {
    let release = () => {};
    work = new Promise((resolve) => {
      release = resolve;
    });
    return () => {
      work = undefined;
      release();
    };
  };
  return { clock, done, send, hold, refuse: (is: boolean) => (refusing = is) };
}

const halt = "haltTrading";
const resume = "resumeTrading";

describe("D-ENG 21: effects are in the order in which commands arrived at their gateways", () => {
  it.each([
    ["the same node", halt, { projectionPath: GOLD }, resume, { projectionPath: GOLD }],
    ["the whole system", halt, { projectionPath: "" }, "adjustPosition", { projectionPath: GOLD, size: "1" }],
    ["the whole system, said by no path", halt, {}, resume, { projectionPath: GOLD }],
    ["everything, and a FIX session", halt, {}, "enableFixSession", { gateway: "OE1", session: "A" }],
    [
      "the same node with its keys in another order",
      halt,
      { projectionPath: "Source[S]/Account[GOLD]" },
      resume,
      { projectionPath: "Account[GOLD]/Source[S]" },
    ],
    [
      "a node that holds it, with a key of the installation",
      halt,
      { projectionPath: "Desk[D1]" },
      resume,
      { projectionPath: "Account[GOLD]/Desk[D1]" },
    ],
    ["a service", "disableService", { name: "VWAP" }, "enableService", { name: "VWAP" }],
    [
      "a FIX session that was disconnected",
      "disconnectFixSession",
      { gateway: "OE1", session: "A" },
      "enableFixSession",
      { gateway: "OE1", session: "A" },
    ],
  ] as const)(
    "a change that arrived before a stop of %s does not begin after it",
    async (_, stop, what, change, of) => {
      const { done, send } = await served();
      await send(stop, what, { arrived: 2_000 });
      expect(await send(change, of, { arrived: 1_000 })).toMatch(
        /^stop-came-first: A stop \(.*\) arrived after this change and came first; nothing was changed$/,
      );
      expect(done).toHaveLength(1);
      expect(await send(change, of, { arrived: 2_001 })).toBe("carried out");
    },
  );

  it.each([
    ["another node", { projectionPath: "Account[SILVER]" }],
    ["a node below", { projectionPath: "Account[GOLD]/Symbol[AAPL]" }],
  ])("a stop of %s stands in no way of a change", async (_, what) => {
    const { send } = await served();
    await send(halt, what, { arrived: 2_000 });
    expect(await send(resume, { projectionPath: GOLD }, { arrived: 1_000 })).toBe("carried out");
  });

  it("a resume that arrived later passes, also where its gateway is not certain of the time by as much", async () => {
    const { send } = await served();
    await send(halt, {}, { arrived: 2_000, arrivedWithin: 5 });
    expect(await send(resume, {}, { arrived: 1_990, arrivedWithin: 20 })).toBe("carried out");
    expect(await send(resume, {}, { arrived: 1_970, arrivedWithin: 20 })).toMatch(/^stop-came-first/);
    expect(await send(resume, {}, { arrived: 2_000, arrivedWithin: 0 })).toBe("carried out");
  });

  it("an old stop does not hide a later one of the same target", async () => {
    const { send } = await served();
    await send(halt, {}, { arrived: 3_000 });
    await send(halt, {}, { arrived: 1_000 });
    expect(await send(resume, {}, { arrived: 2_000 })).toMatch(/^stop-came-first/);
  });

  it("a time in the future, of a clock that is ahead, keeps no later change from being carried out", async () => {
    const { clock, send } = await served();
    await send(halt, {}, { arrived: 3_600_000 });
    await clock.advance(10);
    expect(await send(resume, {}, { arrived: 3_600_000 })).toBe("carried out");
  });

  it("without times of arrival the receipt counts", async () => {
    const { clock, done, send } = await served();
    await send(halt, {});
    expect(await send(resume, {})).toBe("carried out");
    await clock.advance(10);
    await send(halt, {}, { arrived: 60_005 });
    expect(await send(resume, {})).toBe("carried out");
    expect(done).toEqual([halt, resume, halt, resume]);
  });

  it("without times of arrival, also if the process is paused while it reads its clock", async () => {
    const { clock, send } = await served();
    for (const stall of [0, 1, 2, 30]) {
      await send(halt, {});
      const received = clock.now();
      const age = () => {
        clock.advance(stall);
        return clock.now() - received;
      };
      expect(await send(resume, {}, {}, age)).toBe("carried out");
      expect(await send(resume, {}, {}, () => clock.now() - received + 10)).toMatch(/^rejected: A stop/);
    }
  });

  it("more targets than are remembered: a change is refused rather than let pass", async () => {
    const { send } = await served();
    await send(halt, { projectionPath: GOLD }, { arrived: 2_000 });
    for (let index = 0; index < 1_000; index += 1) {
      await send(halt, { projectionPath: `Account[A${index}]` }, { arrived: 500 });
    }
    expect(await send(resume, { projectionPath: GOLD }, { arrived: 1_000 })).toMatch(/^stop-came-first/);
    expect(await send(resume, { projectionPath: GOLD }, { arrived: 2_001 })).toBe("carried out");
  });
});

describe("D-ENG 21: a stop that comes late is carried out, unless it is history", () => {
  it("it is carried out although nobody waits for it any more", async () => {
    const { clock, send } = await served();
    await clock.advance(600_000);
    expect(await send(halt, { projectionPath: GOLD }, { arrived: 0 })).toBe("carried out");
  });

  it.each([
    [halt, { projectionPath: GOLD }, resume],
    [halt, {}, resume],
    ["disableService", { name: "VWAP" }, "enableService"],
    ["disableFixSession", { gateway: "OE1", session: "A" }, "enableFixSession"],
  ] as const)("%s of %j is dropped where %s of the same arrived later and was carried out", async (stop, of, undo) => {
    const { done, send } = await served();
    expect(await send(undo, of, { arrived: 3_000 })).toBe("carried out");
    expect(await send(stop, of, { arrived: 2_000 })).toMatch(
      /^rejected: .* arrived after this stop and was carried out before it; nothing was changed$/,
    );
    expect(done).toHaveLength(1);
    expect(await send(stop, of, { arrived: 3_001 })).toBe("carried out");
  });

  it.each([
    ["another target", resume, { projectionPath: "Account[SILVER]" }, 0],
    ["the whole system, which leaves halts of nodes in place", resume, {}, 0],
    ["the same target, but no resume", "adjustPosition", { projectionPath: GOLD, size: "1" }, 0],
    ["the same target, but perhaps before it", resume, { projectionPath: GOLD }, 2_000],
  ] as const)("a late halt is carried out after a change of %s", async (_, change, of, arrivedWithin) => {
    const { send } = await served();
    await send(change, of, { arrived: 3_000, arrivedWithin });
    expect(await send(halt, { projectionPath: GOLD }, { arrived: 2_000 })).toBe("carried out");
  });

  it("a late disconnect of a FIX session is carried out after an enable, which takes back a disable and no disconnect", async () => {
    const { send } = await served();
    const session = { gateway: "OE1", session: "A" };
    await send("enableFixSession", session, { arrived: 3_000 });
    expect(await send("disconnectFixSession", session, { arrived: 2_000 })).toBe("carried out");
    expect(await send("disableFixSession", session, { arrived: 2_000 })).toMatch(/^rejected: /);
  });

  it("a resume without a time of arrival counts from its receipt, however long the engine takes", async () => {
    const { clock, send, hold } = await served();
    const release = hold();
    const resumed = send(resume, { projectionPath: GOLD });
    await clock.advance(100);
    release();
    expect(await resumed).toBe("carried out");
    expect(await send(halt, { projectionPath: GOLD }, { arrived: 60_050 })).toBe("carried out");
  });

  it("a resume that the engine refused undoes nothing", async () => {
    const { send, refuse } = await served();
    refuse(true);
    expect(await send(resume, { projectionPath: GOLD }, { arrived: 3_000 })).toBe("rejected: not today");
    refuse(false);
    expect(await send(halt, { projectionPath: GOLD }, { arrived: 2_000 })).toBe("carried out");
  });
});
