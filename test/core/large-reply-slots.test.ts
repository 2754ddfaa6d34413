import { describe, expect, it } from "vitest";
import type { AdminError } from "../../src/core/errors.ts";
import { Gate } from "../../src/core/load/gate.ts";
import { LargeReplySlots } from "../../src/core/load/large-reply-slots.ts";
import { operations } from "../../src/core/operations/table.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

interface Asked {
  readonly method: "listPositions";
  readonly input: { readonly projection: string };
}

const SHORT = [{}];
const LONG = Array.from({ length: 251 }, () => ({}));

function open(places: number): { slots: LargeReplySlots; gate: Gate; clock: ManualClock } {
  const clock = new ManualClock();
  const gate = new Gate(clock);
  return { slots: new LargeReplySlots(gate, operations, places), gate, clock };
}

describe("D-LOAD 7: large replies have a bounded number of places", () => {
  it("lists are taken for large until an equal request has had a short reply, other outputs are not", () => {
    const { slots } = open(1);
    const large = (["listPositions", "getRiskTable", "listServices", "getTradingStatus", "getService"] as const).map(
      (method) => slots.expectsLarge({ method, input: {} }),
    );
    expect(large).toEqual([true, true, true, false, false]);
    const [few, many] = ["Currency", "Account/Symbol"].map(
      (projection) => ({ method: "listPositions", input: { projection } }) as const,
    ) as [Asked, Asked];
    slots.learn(few, SHORT);
    expect([few, many, { ...few, input: { ...few.input } }].map((asked) => slots.expectsLarge(asked))).toEqual([
      false,
      true,
      false,
    ]);
    slots.learn(few, LONG);
    expect(slots.expectsLarge(few)).toBe(true);
  });

  it("and what was short longest ago is forgotten beyond 1,000 requests", () => {
    const { slots } = open(1);
    const asked = (index: number) => ({ method: "listPositions", input: { userData: `${index}` } }) as const;
    for (let index = 0; index <= 1_000; index += 1) slots.learn(asked(index), SHORT);
    expect([0, 1, 1_000].map((index) => slots.expectsLarge(asked(index)))).toEqual([true, false, false]);
  });

  it("further reads wait, users taking turns, and take over the place that becomes free", async () => {
    const { slots, clock } = open(1);
    expect(slots.acquire("mallory")).toBeUndefined();
    const order: string[] = [];
    const waiting = ["mallory", "mallory", "alice"].map((user) => slots.acquire(user)?.then(() => order.push(user)));
    for (let released = 0; released < 3; released += 1) {
      slots.release();
      await Promise.resolve();
    }
    await Promise.all(waiting);
    expect(order).toEqual(["mallory", "alice", "mallory"]);
    expect(clock.pending).toBe(0);
    slots.release();
    expect(slots.acquire("alice")).toBeUndefined();
  });

  it("and continue in a turn of their user", async () => {
    const { slots, gate, clock } = open(1);
    void slots.acquire("mallory");
    let goesOn = false;
    const waiting = slots.acquire("alice")?.then(() => {
      goesOn = true;
    });
    gate.schedule("mallory", "other", () => clock.advance(10));
    slots.release();
    await Promise.resolve();
    expect(goesOn).toBe(false);
    await waiting;
  });

  it("at most 250 reads of a user and 1,000 of all wait; a further one is refused immediately as not sent", () => {
    const { slots } = open(1);
    const enter = (user: string): unknown => {
      try {
        slots.acquire(user)?.catch(() => {});
        return "waits";
      } catch (error) {
        return (error as AdminError).code;
      }
    };
    void slots.acquire("mallory");
    for (let read = 0; read < 250; read += 1) expect(enter("mallory")).toBe("waits");
    expect(enter("mallory")).toBe("ENGINE_OVERLOADED");
    for (const user of ["b", "c", "d"]) for (let read = 0; read < 250; read += 1) expect(enter(user)).toBe("waits");
    expect(enter("alice")).toBe("ENGINE_OVERLOADED");
  });

  it("a read that waits for more than a second is refused as not sent, and holds nothing", async () => {
    const { slots, clock } = open(1);
    void slots.acquire("mallory");
    const late = slots.acquire("alice");
    clock.advance(1_000);
    await expect(late).rejects.toMatchObject({ code: "ENGINE_OVERLOADED" });
    slots.release();
    expect(slots.acquire("bob")).toBeUndefined();
    expect(clock.pending).toBe(0);
  });
});
