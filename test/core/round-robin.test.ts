import { describe, expect, it } from "vitest";
import { anonymousCaller, CallerQueue } from "../../src/core/load/caller-queue.ts";
import { RoundRobin } from "../../src/core/load/round-robin.ts";

/** Takes out everything that is queued. */
function drained(queues: RoundRobin<string>): (string | undefined)[] {
  return Array.from({ length: queues.size }, () => queues.shift());
}

describe("D-LOAD 2: users take turns", () => {
  it("so that much of one delays each other by one piece at most, and the order of each is kept", () => {
    const queues = new RoundRobin<string>();
    for (const item of ["m1", "m2", "m3", "m4"]) queues.push("mallory", item);
    for (const item of ["a1", "a2"]) queues.push("alice", item);
    queues.push("bob", "b1");
    expect(queues.size).toBe(7);
    expect(drained(queues)).toEqual(["m1", "a1", "b1", "m2", "a2", "m3", "m4"]);
    expect([queues.size, queues.shift(), queues.size]).toEqual([0, undefined, 0]);
  });

  it("from the end again once all of theirs is done", () => {
    const queues = new RoundRobin<string>();
    for (const item of ["m1", "m2", "m3"]) queues.push("mallory", item);
    queues.push("alice", "a1");
    expect([queues.shift(), queues.shift()]).toEqual(["m1", "a1"]);
    queues.push("alice", "a2");
    expect(drained(queues)).toEqual(["m2", "a2", "m3"]);
  });

  it("and who was served latest is not served again while others wait, even if they came later", () => {
    const queues = new RoundRobin<string>();
    for (const item of ["m1", "m2", "m3"]) queues.push("mallory", item);
    expect(queues.shift()).toBe("m1");
    queues.push("alice", "a1");
    queues.push("alice", "a2");
    expect(drained(queues)).toEqual(["a1", "m2", "a2", "m3"]);
  });

  it("and what is given up is taken out without disturbing the others", () => {
    const queues = new RoundRobin<string>();
    for (const item of ["m1", "m2", "m3"]) queues.push("mallory", item);
    for (const [user, item] of [
      ["alice", "a1"],
      ["bob", "b1"],
    ] as const)
      queues.push(user, item);
    expect(queues.remove("mallory", "m2")).toBe(true);
    expect(queues.remove("alice", "a1")).toBe(true);
    expect(["m2", "a1"].map((item) => queues.remove("mallory", item))).toEqual([false, false]);
    expect(queues.remove("nobody", "x")).toBe(false);
    expect(queues.size).toBe(3);
    expect(drained(queues)).toEqual(["m1", "b1", "m3"]);
    queues.push("alice", "a2");
    expect(drained(queues)).toEqual(["a2"]);
  });

  it("and so do those who have not logged in, by the address that they call from", () => {
    const queue = new CallerQueue<string>();
    for (const item of ["m1", "m2", "m3"]) queue.push(anonymousCaller("198.51.100.7"), item);
    queue.push(anonymousCaller("203.0.113.9"), "s1");
    expect(Array.from({ length: 4 }, () => queue.shift())).toEqual(["m1", "s1", "m2", "m3"]);
  });

  it("and it is known whose turn is next", () => {
    const queue = new CallerQueue<string>();
    expect(queue.nextCaller).toBeUndefined();
    const callers = ["mallory", anonymousCaller("203.0.113.9"), "alice", "mallory"];
    for (const caller of callers) queue.push(caller, caller);
    for (const _ of callers) {
      const next = queue.nextCaller;
      expect(queue.shift()).toBe(next);
    }
  });

  it("a user who is called like an address takes turns with it", () => {
    const queue = new CallerQueue<string>();
    for (const item of ["s1", "s2"]) queue.push(anonymousCaller("198.51.100.7"), item);
    queue.push("from 198.51.100.7", "u1");
    expect(Array.from({ length: 3 }, () => queue.shift())).toEqual(["s1", "u1", "s2"]);
  });

  it("and of one caller the newest goes first, where that is asked for", () => {
    const queue = new CallerQueue<string>("newest first");
    for (const item of ["m1", "m2", "m3"]) queue.push(anonymousCaller("198.51.100.7"), item);
    queue.push(anonymousCaller("203.0.113.9"), "s1");
    expect(Array.from({ length: 4 }, () => queue.shift())).toEqual(["m3", "s1", "m2", "m1"]);
  });
});
