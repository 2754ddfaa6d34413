import { describe, expect, it, test } from "vitest";
import { AdminError } from "../../src/core/errors.ts";
import { anonymousCaller } from "../../src/core/load/caller-queue.ts";
import type { Priority } from "../../src/core/load/stop-priority.ts";
import { uncaughtDuring } from "../support/uncaught.ts";
import { BUDGET_MS, nextTurn, World } from "./gate-world.ts";

function code(error: unknown): unknown {
  return error instanceof AdminError ? error.code : error;
}

describe("D-LOAD 2: work that is not a stop has a bounded part of each turn of the event loop", () => {
  it("and begins immediately while there is time", () => {
    const { gate, clock, done } = new World();
    expect(gate.admit("alice", "other")).toBeUndefined();
    gate.schedule("alice", "other", () => done.push("immediately"));
    expect(done).toEqual(["immediately"]);
    expect(clock.pending).toBe(0);
  });

  it("and beyond the budget waits, one piece a turn, so that other events are served in between", async () => {
    const world = new World();
    for (const name of ["a", "b", "c"]) world.work("mallory", name);
    expect(world.done).toEqual(["a"]);
    const seen: string[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      await nextTurn();
      seen.push(world.done.join(""));
    }
    expect(seen).toEqual(["ab", "abc", "abc"]);
  });

  it("and shares one budget among all callers, whatever they ask for", async () => {
    const world = new World();
    for (const caller of ["a", "b", "c", "d"]) world.work(caller);
    expect(world.done).toEqual(["a"]);
    await world.turns(1);
    expect(world.done).toHaveLength(2);
  });

  it("and D-LOAD 13: its responses may wait for the end of the turn, after the work that was done in it", async () => {
    const { gate, done } = new World();
    gate.schedule("alice", "other", () => done.push("alice's work"));
    const response = gate.endOfTurn().then(() => done.push("alice's response"));
    setImmediate(() => done.push("next turn"));
    gate.schedule("bob", "other", () => done.push("bob's work"));
    await response;
    expect(done).toEqual(["alice's work", "bob's work", "alice's response"]);
  });

  it("and if it has waited elsewhere, the first and the first stop in a turn continue immediately, the others at turns", async () => {
    const { gate, clock, done } = new World();
    const proceed = async (name: string, priority: Priority = "other"): Promise<void> => {
      await gate.reenter(name, priority);
      done.push(name);
      clock.advance(BUDGET_MS);
    };
    const all = [proceed("a"), proceed("b"), proceed("c"), proceed("halt", "stop"), proceed("stop", "stop")];
    await Promise.resolve();
    expect(done).toEqual(["a", "halt"]);
    const seen: string[] = [];
    while (done.length < all.length) {
      await nextTurn();
      seen.push(done.slice(2).join(""));
    }
    await Promise.all(all);
    expect([seen.at(-1), seen.length > 1]).toEqual(["stopbc", true]);
  });

  it("and takes turns between callers: one with much waiting delays another by one piece", async () => {
    const world = new World();
    for (let piece = 0; piece < 6; piece += 1) world.work("mallory");
    world.work("alice");
    await world.turns(10);
    expect(world.done.indexOf("alice")).toBe(2);
  });

  it("and a turn has as many pieces as there is time for, and what comes later waits behind them", async () => {
    const world = new World();
    world.work("a");
    for (const name of ["b", "c", "d", "e"]) world.gate.schedule("a", "other", world.job(name, BUDGET_MS / 2));
    await world.turns(1);
    world.gate.schedule("a", "other", world.job("late", 0));
    expect(world.done.join("")).toBe("ab");
    await world.turns(1);
    expect(world.done.join("")).toBe("abcd");
    await world.turns(2);
    expect(world.done.join("")).toBe("abcdelate");
  });

  it("and a piece that throws is not the others' affair: its error is thrown on its own", async () => {
    const world = new World();
    const fault = new Error("a job's own");
    const thrown = await uncaughtDuring(async () => {
      world.work("a");
      world.gate.schedule("a", "other", () => {
        throw fault;
      });
      world.work("a", "b");
      await world.turns(3);
    });
    expect([thrown, world.done]).toEqual([[fault], ["a", "b"]]);
  });

  it("and D-LOAD 34: pauses if it is long, and is continued in a turn with time left", async () => {
    const world = new World();
    const all = world.long("alice", ["a", "b", "c"], BUDGET_MS);
    expect(world.done).toEqual(["a"]);
    await world.turns(1);
    expect(world.done).toEqual(["a", "b"]);
    await all;
    expect(world.done).toEqual(["a", "b", "c"]);
  });

  it("and D-LOAD 34: several pieces of long work are done in one turn if there is time, though others wait", async () => {
    const world = new World();
    world.work("mallory");
    void world.long("alice", ["a", "b", "c"], BUDGET_MS / 2);
    await world.turns(1);
    expect(world.done).toEqual(["mallory", "a"]);
    world.work("bob");
    world.work("bob");
    await world.turns(1);
    expect(world.done).toEqual(["mallory", "a", "bob"]);
    await world.turns(1);
    expect(world.done).toEqual(["mallory", "a", "bob", "b", "c"]);
    await world.turns(1);
    expect(world.done).toEqual(["mallory", "a", "bob", "b", "c", "bob"]);
  });

  it("and D-LOAD 34: long work that has waited for something else begins anew: behind others, and not in a rest", async () => {
    const world = new World();
    const turns = world.gate.turns("alice");
    expect(turns.isOver()).toBe(false);
    await world.turns(2);
    world.work("bob");
    world.gate.schedule("chief", "stop", world.job("halt", 5));
    world.gate.schedule("chief", "stop", world.job("halt", 0));
    expect(turns.isOver()).toBe(true);
    await turns.next();
    world.job("alice", 0)();
    expect(world.done).toEqual(["bob", "halt", "halt", "alice"]);
  });

  it("and D-LOAD 34: each turn does one piece of long work at least, even if stops have taken all of it", async () => {
    const world = new World();
    void world.long("alice", ["a", "b", "c"], BUDGET_MS);
    for (let turn = 0; turn < 2; turn += 1) {
      for (const halt of ["halt", "halt"]) world.gate.schedule("chief", "stop", world.job(halt, 10));
      await world.turns(1);
    }
    expect(world.done.filter((name) => name !== "halt")).toEqual(["a", "b", "c"]);
  });

  it("and includes what a job leaves to promises", async () => {
    const world = new World();
    world.work("mallory");
    for (const name of ["a", "b"]) {
      world.gate.schedule("mallory", "other", () => {
        void Promise.resolve().then(world.job(name, BUDGET_MS));
      });
    }
    await world.turns(1);
    expect(world.done).toEqual(["mallory", "a"]);
  });

  it("and jobs that come due at the same moment are done in turns, and one that was cancelled is not done", async () => {
    const world = new World();
    for (const name of ["first", "second"])
      world.gate.scheduleAfter(BUDGET_MS, "a", "other", world.job(name, BUDGET_MS));
    world.gate.scheduleAfter(BUDGET_MS, "a", "other", world.job("cancelled", BUDGET_MS))();
    world.work("b");
    expect(world.done).toEqual(["b"]);
    await world.turns(1);
    expect(world.done).toEqual(["b", "first"]);
    await world.turns(2);
    expect(world.done).toEqual(["b", "first", "second"]);
  });

  it("and a job that asks for its turn has it already", async () => {
    const world = new World();
    world.work("mallory");
    let turn: unknown = "not asked";
    world.gate.schedule("alice", "other", () => {
      turn = world.gate.admit("alice", "other");
    });
    expect(turn).toBe("not asked");
    await world.turns(1);
    expect(turn).toBeUndefined();
  });

  it("and at most 250 calls of a caller and 1,000 of all wait, and one of whoever has none; further ones are refused as not sent", async () => {
    const { gate, clock } = new World();
    const open = (): void => clock.advance(BUDGET_MS);
    gate.schedule("mallory", "other", open);
    const waiting: unknown[] = [];
    const ask = (caller: string): unknown => {
      try {
        waiting.push(gate.admit(caller, "other"));
        return "waits";
      } catch (error) {
        return code(error);
      }
    };
    for (let call = 0; call < 250; call += 1) expect(ask("mallory")).toBe("waits");
    expect(ask("mallory")).toBe("ENGINE_OVERLOADED");
    for (const caller of ["b", "c", "d"]) for (let call = 0; call < 250; call += 1) ask(caller);
    expect([ask("alice"), ask("alice")]).toEqual(["waits", "ENGINE_OVERLOADED"]);
    await Promise.all(waiting);
    for (let call = 0; call < 250; call += 1) expect(ask("alice")).toBe("waits");
  });
});

test("D-LOAD 35: when too many calls wait, only a new one is refused; functions, long work and calls that waited elsewhere wait", async () => {
  const world = new World();
  world.work("mallory");
  for (let call = 0; call < 250; call += 1) void world.gate.admit("mallory", "other");
  expect(() => world.gate.admit("mallory", "other")).toThrow("Too many requests are waiting");
  world.gate.schedule("mallory", "other", world.job("function", 0));
  const reentered = world.gate.reenter("mallory").then(world.job("call", 0));
  const long = world.long("mallory", ["piece"], 0);
  expect(world.done).toEqual(["mallory"]);
  await Promise.all([reentered, long]);
  expect(world.done).toEqual(["mallory", "function", "call", "piece"]);
});

describe("D-LOAD 2: those who have logged in take turns with those who have not", () => {
  it("so that a user waits for one unauthenticated caller at a time, however many places they call from", async () => {
    const world = new World();
    for (const place of ["a", "b", "c", "d", "e"]) world.work(anonymousCaller(place), place);
    for (const name of ["alice", "bob"]) world.work(name);
    await world.turns(6);
    expect(world.done).toEqual(["a", "b", "alice", "c", "bob", "d", "e"]);
  });
});

describe("D-LOAD 2: while connections arrive, turns are short, since one is accepted in each", () => {
  it("other work gets a fifth of its time, and rests for four times what it used", async () => {
    const world = new World();
    world.clock.advance(1_000);
    world.gate.announceConnection();
    world.gate.schedule("mallory", "other", world.job("a", 1));
    world.gate.schedule("mallory", "other", world.job("b", 1));
    await world.turns(1);
    expect(world.done).toEqual(["a", "b"]);
    for (let ms = 0; ms < 8; ms += 1) {
      world.gate.announceConnection();
      world.gate.schedule("mallory", "other", world.job("c", 1));
      await world.turns(1);
      expect(world.done).toEqual(["a", "b"]);
      world.clock.advance(1);
    }
    world.gate.announceConnection();
    await world.turns(2);
    expect(world.done).toEqual(["a", "b", "c"]);
  });

  it("and continues as soon as none arrives, without waiting for a timer", async () => {
    const world = new World();
    world.gate.announceConnection();
    world.gate.schedule("mallory", "other", world.job("a", 10));
    await world.turns(1);
    for (const name of ["b", "c"]) world.work("mallory", name);
    expect(world.done).toEqual(["a"]);
    await world.turns(1);
    expect(world.done).toEqual(["a"]);
    expect(world.clock.pending).toBe(0);
    await world.turns(2);
    expect(world.done).toEqual(["a", "b", "c"]);
  });

  it("and a stop does not rest", async () => {
    const world = new World();
    world.gate.announceConnection();
    world.gate.schedule("mallory", "other", world.job("a", 20));
    await world.turns(1);
    world.work("mallory", "b");
    for (const name of ["halt", "second", "third"]) world.gate.schedule("chief", "stop", world.job(name, 10));
    expect(world.done).toEqual(["a", "halt"]);
    await world.turns(2);
    expect(world.done.slice(0, 4)).toEqual(["a", "halt", "second", "third"]);
  });
});

describe("D-LANE 2: a stop goes first", () => {
  it("immediately though the budget is used up and others wait", () => {
    const world = new World();
    for (let piece = 0; piece < 3; piece += 1) world.work("mallory");
    world.gate.schedule("chief", "stop", world.job("halt", 0));
    expect(world.done).toEqual(["mallory", "halt"]);
    expect(world.gate.admit("chief", "stop")).toBeUndefined();
  });

  it("within its share: users take turns, and new events are looked at after 4 ms", async () => {
    const world = new World();
    for (let halt = 0; halt < 5; halt += 1) world.gate.schedule("mallory", "stop", world.job("mallory", 10));
    world.gate.schedule("chief", "stop", world.job("chief", 0));
    expect(world.done).toEqual(["mallory"]);
    await world.turns(2);
    expect(world.done.slice(0, 3)).toEqual(["mallory", "mallory", "chief"]);
  });

  it("and what is left of 4 ms is for the stops that wait; one that comes later waits behind them, and gets its turn", async () => {
    const world = new World();
    world.gate.schedule("chief", "stop", world.job("a", 10));
    for (const name of ["b", "c", "d", "e", "f", "g", "h"]) world.gate.schedule("chief", "stop", world.job(name, 1));
    await world.turns(1);
    world.gate.schedule("chief", "stop", world.job("i", 1));
    expect(world.done.join("")).toBe("ab");
    await world.turns(1);
    expect(world.done.join("")).toBe("abcdef");
    await world.gate.admit("chief", "stop");
    expect(world.done.join("")).toBe("abcdefghi");
  });

  it("and is never refused as too many wait", () => {
    const { gate, clock } = new World();
    gate.schedule("mallory", "stop", () => clock.advance(10));
    for (let call = 0; call < 2_000; call += 1) expect(gate.admit("mallory", "stop")).toBeInstanceOf(Promise);
    for (let call = 0; call < 8; call += 1) gate.announceStop("script");
    gate.schedule("mallory", "other", () => clock.advance(10));
    for (let call = 0; call < 2_000; call += 1) {
      expect(gate.admit("script", gate.stopPriority.priority("script"))).toBeInstanceOf(Promise);
    }
  });

  it("but whoever sends only refused stops loses the privilege for a second, and nobody else does", async () => {
    const world = new World();
    world.clock.advance(5_000);
    for (let refused = 0; refused < 9; refused += 1) world.gate.stopPriority.refused("mallory");
    expect(world.gate.stopPriority.priority("mallory")).toBe("stop");
    world.gate.stopPriority.refused("mallory");
    world.work("others");
    world.gate.schedule("mallory", world.gate.stopPriority.priority("mallory"), world.job("mallory", 0));
    world.gate.schedule("chief", world.gate.stopPriority.priority("chief"), world.job("chief", 0));
    expect(world.done).toEqual(["others", "chief"]);
    await world.turns(1);
    expect(world.done).toEqual(["others", "chief", "mallory"]);
    world.clock.advance(1_001);
    world.work("others");
    world.gate.schedule("mallory", world.gate.stopPriority.priority("mallory"), world.job("later", 0));
    expect(world.done.at(-1)).toBe("later");
  });

  it("but of one user with eight in progress further ones wait like other work, and nobody else's do", async () => {
    const world = new World();
    const ends = Array.from({ length: 8 }, () => {
      expect(world.gate.stopPriority.priority("script")).toBe("stop");
      return world.gate.announceStop("script");
    });
    expect(world.gate.stopPriority.priority("chief")).toBe("stop");
    world.work("others");
    world.gate.schedule("script", world.gate.stopPriority.priority("script"), world.job("ninth", 0));
    world.gate.schedule("chief", world.gate.stopPriority.priority("chief"), world.job("chief", 0));
    expect(world.done).toEqual(["others", "chief"]);
    ends[0]?.();
    expect(world.gate.stopPriority.priority("script")).toBe("stop");
  });

  it("and other work continues as soon as it has ended", async () => {
    const world = new World();
    const end = world.gate.announceStop("chief");
    world.gate.schedule("mallory", "other", world.job("a", 10));
    await world.turns(1);
    world.work("mallory", "b");
    await world.turns(2);
    expect(world.done).toEqual(["a"]);
    end();
    await world.turns(2);
    expect(world.done).toEqual(["a", "b"]);
  });

  it("and leaves other work a fifth of its time, which then rests for four times what it used", async () => {
    const world = new World();
    const end = world.gate.announceStop("chief");
    world.gate.schedule("mallory", "other", world.job("a", 1));
    world.gate.schedule("mallory", "other", world.job("b", 1));
    world.gate.schedule("mallory", "other", world.job("c", 1));
    expect(world.done).toEqual(["a"]);
    await world.turns(3);
    expect(world.done).toEqual(["a", "b"]);
    world.clock.advance(8);
    await world.turns(2);
    expect(world.done).toEqual(["a", "b", "c"]);
    end();
    world.clock.advance(50);
    await world.turns(2);
    for (const name of ["d", "e"]) world.gate.schedule("mallory", "other", world.job(name, 1));
    expect(world.done).toEqual(["a", "b", "c", "d", "e"]);
  });
});
