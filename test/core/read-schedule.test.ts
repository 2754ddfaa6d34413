import { describe, expect, it, onTestFinished, vi } from "vitest";
import { AdminError } from "../../src/core/errors.ts";
import { ReadSchedule } from "../../src/core/read-schedule.ts";

/** Keeps the thread busy. */
function work(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Turns of the event loop until a promise is settled. */
async function turnsUntil(done: Promise<unknown>): Promise<number> {
  let settled = false;
  void done.finally(() => {
    settled = true;
  });
  let turns = 0;
  while (!settled) {
    await nextTurn();
    turns += 1;
  }
  return turns;
}

describe("issue 5.2: reads get what time there is, and no more at a time than a turn", () => {
  it("does a little work at once, without a promise", () => {
    const schedule = new ReadSchedule();
    expect(schedule.run("alice", () => 1)).toBe(1);
    expect(schedule.waiting).toBe(0);
  });

  it("what is beyond a turn waits, and other events are served in between", async () => {
    const schedule = new ReadSchedule({ turnMs: 2 });
    const reads = Array.from({ length: 8 }, () => schedule.run("alice", () => work(2)));
    expect(reads[0]).toBeUndefined();
    expect(schedule.waiting).toBe(7);
    expect(await turnsUntil(Promise.all(reads))).toBeGreaterThanOrEqual(6);
    expect(schedule.waiting).toBe(0);
  });

  it("long work is done in steps, each in a turn that has time left", async () => {
    const schedule = new ReadSchedule({ turnMs: 2 });
    function* steps(): Generator<void, string> {
      for (let step = 0; step < 8; step += 1) {
        work(2);
        yield;
      }
      return "done";
    }
    const done = schedule.steps("alice", steps());
    expect(await turnsUntil(done)).toBeGreaterThanOrEqual(7);
    expect(await done).toBe("done");
  });

  it("users take turns: who has much waiting delays another by one task", async () => {
    const schedule = new ReadSchedule({ turnMs: 1 });
    const order: string[] = [];
    const read = (user: string) =>
      schedule.run(user, () => {
        order.push(user);
        work(1);
      });
    const reads = [...Array.from({ length: 6 }, () => read("mallory")), read("alice")];
    await Promise.all(reads);
    expect(order.indexOf("alice")).toBeLessThanOrEqual(2);
  });

  it("beside a stop, reads keep out of the way: they work less and pause", async () => {
    const share = async (stop: boolean): Promise<number> => {
      const schedule = new ReadSchedule({ turnMs: 4 });
      const done = stop ? schedule.makeWay() : () => {};
      let worked = 0;
      const until = performance.now() + 200;
      const read = async (): Promise<void> => {
        while (performance.now() < until) {
          await schedule.run("alice", () => {
            work(1);
            worked += 1;
          });
        }
      };
      await Promise.all(Array.from({ length: 10 }, read));
      done();
      return worked;
    };
    const alone = await share(false);
    expect(await share(true)).toBeLessThan(alone / 2);
  });

  it("errors reach whoever asked, and disturb nobody else", async () => {
    const schedule = new ReadSchedule({ turnMs: 1 });
    expect(() =>
      schedule.run("alice", () => {
        throw new Error("at once");
      }),
    ).toThrow("at once");
    void schedule.run("alice", () => work(2));
    const failing = schedule.run("alice", () => {
      throw new Error("later");
    });
    const next = schedule.run("alice", () => 2);
    await expect(failing).rejects.toThrow("later");
    expect(await next).toBe(2);
    const broken = (function* (): Generator<void, void> {
      yield;
      throw new Error("in a step");
    })();
    await expect(schedule.steps("alice", broken)).rejects.toThrow("in a step");
  });
});

describe("issue 5.2: what waits is bounded, reads are shed with 429", () => {
  const overloaded = expect.objectContaining({ code: "ENGINE_OVERLOADED", status: 429 });

  function refusal(read: () => unknown): unknown {
    try {
      read();
    } catch (error) {
      if (error instanceof AdminError) return error;
      throw error;
    }
    throw new Error("not refused");
  }

  it("in all and for each user", async () => {
    const schedule = new ReadSchedule({ turnMs: 1 });
    const read = (user: string) => schedule.run(user, () => work(0));
    const waiting = (user: string) => Array.from({ length: 250 }, () => read(user));
    expect(schedule.run("mallory", () => work(2))).toBeUndefined();
    const reads: unknown[] = waiting("mallory");
    expect(refusal(() => read("mallory"))).toEqual(overloaded);
    reads.push(...waiting("alice"), ...waiting("carol"), ...waiting("dave"));
    expect(schedule.waiting).toBe(1_000);
    expect(refusal(() => read("bob"))).toEqual(overloaded);
    await Promise.all(reads);
    expect(schedule.waiting).toBe(0);
    await read("mallory");
  });

  it("for large answers, a few of which wait for their place, failed ones giving it back too", async () => {
    const schedule = new ReadSchedule({ maxLong: 1 });
    const steps = (fail = false) =>
      (function* (): Generator<void, void> {
        yield;
        if (fail) throw new Error("failed");
      })();
    const before = schedule.limit.current(256);
    const first = schedule.steps("alice", steps(true));
    const waiting = Array.from({ length: 16 }, () => schedule.steps("bob", steps()));
    await expect(schedule.steps("bob", steps())).rejects.toEqual(overloaded);
    expect(schedule.limit.current(256)).toBe(before / 2);
    await expect(first).rejects.toThrow("failed");
    await Promise.all(waiting);
    await schedule.steps("bob", steps());
  });

  it("what brings further large answers waits for a place, and is not refused", async () => {
    const schedule = new ReadSchedule({ maxLong: 1 });
    const order: string[] = [];
    const steps = (function* (): Generator<void, void> {
      yield;
      order.push("first answer");
    })();
    const first = schedule.steps("alice", steps);
    const message = (function* (): Generator<void, string> {
      order.push("next message");
      yield;
      return "read";
    })();
    const next = schedule.whenRoom("link", message);
    expect(await Promise.all([first, next])).toEqual([undefined, "read"]);
    expect(order).toEqual(["first answer", "next message"]);
  });

  it("large answers that come one upon another for half a second halve what may be under way", async () => {
    const schedule = new ReadSchedule();
    const before = schedule.limit.current(256);
    let now = 1_000;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    onTestFinished(() => void vi.restoreAllMocks());
    const message = function* (): Generator<void, void> {
      now += 200;
      yield;
    };
    for (const limit of [before, before, before, before / 2]) {
      await schedule.whenRoom("link", message());
      expect(schedule.limit.current(256)).toBe(limit);
    }
    now += 100;
    await schedule.whenRoom("link", message());
    expect(schedule.limit.current(256)).toBe(before / 2);
  });
});
