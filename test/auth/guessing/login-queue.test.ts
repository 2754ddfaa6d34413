import { beforeEach, describe, expect, test } from "vitest";
import { type LoginAttempt, LoginQueue } from "../../../src/auth/throttle/login-queue.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";

let clock: ManualClock;
let queue: LoginQueue;
/** What happened to those who came, in the order in which it did. */
let log: string[];

beforeEach(() => {
  clock = new ManualClock();
  queue = new LoginQueue(clock, 2);
  log = [];
});

/** Somebody comes; `in NAME` or `away NAME` in the log tells when it was decided. */
function come(name: string, origin: string, more: Partial<LoginAttempt> = {}): void {
  const note = (admitted: boolean): void => void log.push(`${admitted ? "in" : "away"} ${name}`);
  const entered = queue.enter({ origin, delayMs: 0, suspect: false, proven: false, ...more });
  if (entered instanceof Promise) void entered.then(note);
  else note(entered);
}

/** Lets that many checks end, one after the other. */
async function leave(times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    queue.leave();
    await settled();
  }
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Fills both places. */
function occupy(): void {
  come("first", "x");
  come("second", "y");
  expect(log.splice(0)).toEqual(["in first", "in second"]);
}

describe("D-UAC 11: a bounded number of password checks run at a time", () => {
  test("and those of one origin run in the order in which they came", async () => {
    occupy();
    for (const name of ["a", "b", "c"]) come(name, "x");
    await settled();
    expect(log).toEqual([]);
    await leave(3);
    expect(log).toEqual(["in a", "in b", "in c"]);
  });

  test("and a login that comes just as a check ends does not overtake those that wait", async () => {
    occupy();
    come("waiting", "x");
    queue.leave();
    come("late", "z");
    await settled();
    expect(log).toEqual(["in waiting"]);
    await leave(1);
    expect(log).toEqual(["in waiting", "in late"]);
  });

  test("and all places are free again once all have left", async () => {
    occupy();
    for (const name of ["a", "b", "c"]) come(name, "x");
    await leave(5);
    log = [];
    occupy();
  });
});

describe("D-LOGIN 8: queueing for a check is fair between addresses", () => {
  test("the first login of another address waits for one check that has not begun, whatever the flood", async () => {
    occupy();
    for (let i = 0; i < 64; i++) come(`flood${i}`, "x");
    come("alice", "z");
    await leave(2);
    expect(log).toEqual(["in flood0", "in alice"]);
  });

  test("and addresses take turns", async () => {
    occupy();
    for (const name of ["x1", "x2", "x3", "y1", "y2", "z1"]) come(name, name.slice(0, 1));
    await leave(6);
    expect(log).toEqual(["in x1", "in y1", "in z1", "in x2", "in y2", "in x3"]);
  });

  test("D-LOGIN 5: credentials that were right before go first, and there is always room for them", async () => {
    occupy();
    for (let i = 0; i < 64; i++) come(`flood${i}`, "x");
    come("one too many", "x");
    come("proven", "x", { proven: true });
    await leave(2);
    expect(log).toEqual(["away one too many", "in proven", "in flood0"]);
  });
});

describe("a delayed login", () => {
  test("D-LOGIN 8: holds no place of a check while it waits", async () => {
    come("slow", "x", { delayMs: 1_000 });
    occupy();
    await leave(2);
    clock.advance(999);
    await settled();
    expect(log).toEqual([]);
    clock.advance(1);
    await settled();
    expect(log).toEqual(["in slow"]);
  });

  test("queues after its delay like any other", async () => {
    come("slow", "x", { delayMs: 1_000 });
    occupy();
    come("next", "y");
    clock.advance(1_000);
    await leave(2);
    expect(log).toEqual(["in next", "in slow"]);
    expect(clock.pending).toBe(0);
  });
});

describe("D-LOGIN 9: waiting is bounded, per address and in all", () => {
  test("for two delayed logins of a slowed address; a third is refused immediately", () => {
    for (const name of ["a", "b", "c"]) come(name, "x", { delayMs: 1_000, suspect: true });
    come("elsewhere", "y", { delayMs: 1_000, suspect: true });
    come("user is slowed, address is not", "x", { delayMs: 250 });
    expect(log).toEqual(["away c"]);
  });

  test("for 64 of an address", () => {
    occupy();
    for (let i = 0; i < 66; i++) come(`${i}`, "x");
    expect(log).toEqual(["away 64", "away 65"]);
  });

  test("for 1,000 in all; a newcomer takes the place of the newest of the address that has the most", async () => {
    occupy();
    for (let origin = 0; origin < 20; origin++) {
      for (let i = 0; i < 50; i++) come(`${origin}.${i}`, `origin ${origin}`);
    }
    come("0.50", "origin 0");
    come("first of another", "another");
    await settled();
    expect(log).toEqual(["away 0.50", "away 0.49"]);
    await leave(21);
    expect(log).toContain("in first of another");
    await leave(981);
    expect(log).toHaveLength(1_002);
    log = [];
    occupy();
  });

  test("for 1,000 addresses with one each: the next is refused, and nobody else", async () => {
    occupy();
    for (let i = 0; i < 1_001; i++) come(`${i}`, `origin ${i}`);
    await settled();
    expect(log).toEqual(["away 1000"]);
    await leave(1_002);
    expect(log).toHaveLength(1_001);
    log = [];
    occupy();
  });

  test("for ten seconds: who then still waits for a check finds no place, and credentials that were right before wait on", async () => {
    occupy();
    for (let i = 0; i < 300; i++) come(`${i}`, `origin ${i}`);
    come("right before", "y", { proven: true });
    clock.advance(9_999);
    await leave(10);
    log = [];
    clock.advance(1);
    await settled();
    expect(log).toEqual(Array.from({ length: 291 }, (_, index) => `away ${index + 9}`));
    come("later", "z");
    await leave(1);
    expect(log.at(-1)).toBe("in later");
    await leave(2);
    log = [];
    occupy();
    expect(clock.pending).toBe(0);
  });

  test("and a login that is refused while delayed leaves no timer behind", async () => {
    for (let i = 0; i < 1_000; i++) come(`${i}`, `origin ${i % 20}`, { delayMs: 1_000 });
    come("another", "another");
    come("yet another", "another");
    come("a third", "another");
    await settled();
    expect(log).toEqual(["in another", "in yet another", "away 980"]);
    // The delayed ones, and the one that waits for a check.
    expect(clock.pending).toBe(1_000);
    clock.advance(11_000);
    expect(clock.pending).toBe(0);
  });
});
