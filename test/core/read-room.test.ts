import { describe, expect, it } from "vitest";
import type { AdminError } from "../../src/core/errors.ts";
import { Gate } from "../../src/core/load/gate.ts";
import { ReadRoom } from "../../src/core/load/read-room.ts";
import { operations } from "../../src/core/operations/table.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

interface Asked {
  readonly method: "listPositions";
  readonly input: { readonly projection: string };
}

const SHORT = [{}];
const LONG = Array.from({ length: 251 }, () => ({}));

function open(places: number): { room: ReadRoom; gate: Gate; clock: ManualClock } {
  const clock = new ManualClock();
  const gate = new Gate(clock);
  return { room: new ReadRoom(gate, operations, places), gate, clock };
}

describe("D-LOAD 7: large replies have a bounded number of places", () => {
  it("lists are taken for large until an equal request has had a short reply, other outputs are not", () => {
    const { room } = open(1);
    const large = (["listPositions", "getRiskTable", "listServices", "getTradingStatus", "getService"] as const).map(
      (method) => room.expectsLarge({ method, input: {} }),
    );
    expect(large).toEqual([true, true, true, false, false]);
    const [few, many] = ["Currency", "Account/Symbol"].map(
      (projection) => ({ method: "listPositions", input: { projection } }) as const,
    ) as [Asked, Asked];
    room.learn(few, SHORT);
    expect([few, many, { ...few, input: { ...few.input } }].map((asked) => room.expectsLarge(asked))).toEqual([
      false,
      true,
      false,
    ]);
    room.learn(few, LONG);
    expect(room.expectsLarge(few)).toBe(true);
  });

  it("and what was short longest ago is forgotten beyond 1,000 requests", () => {
    const { room } = open(1);
    const asked = (index: number) => ({ method: "listPositions", input: { userData: `${index}` } }) as const;
    for (let index = 0; index <= 1_000; index += 1) room.learn(asked(index), SHORT);
    expect([0, 1, 1_000].map((index) => room.expectsLarge(asked(index)))).toEqual([true, false, false]);
  });

  it("further reads wait, users taking turns, and take over the place that becomes free", async () => {
    const { room, clock } = open(1);
    expect(room.enter("mallory")).toBeUndefined();
    const order: string[] = [];
    const waiting = ["mallory", "mallory", "alice"].map((user) => room.enter(user)?.then(() => order.push(user)));
    for (let leave = 0; leave < 3; leave += 1) {
      room.leave();
      await Promise.resolve();
    }
    await Promise.all(waiting);
    expect(order).toEqual(["mallory", "alice", "mallory"]);
    expect(clock.pending).toBe(0);
    room.leave();
    expect(room.enter("alice")).toBeUndefined();
  });

  it("and continue in a turn of their user", async () => {
    const { room, gate, clock } = open(1);
    void room.enter("mallory");
    let goesOn = false;
    const waiting = room.enter("alice")?.then(() => {
      goesOn = true;
    });
    gate.schedule("mallory", "other", () => clock.advance(10));
    room.leave();
    await Promise.resolve();
    expect(goesOn).toBe(false);
    await waiting;
  });

  it("at most 250 reads of a user and 1,000 of all wait; a further one is refused immediately as not sent", () => {
    const { room } = open(1);
    const enter = (user: string): unknown => {
      try {
        room.enter(user)?.catch(() => {});
        return "waits";
      } catch (error) {
        return (error as AdminError).code;
      }
    };
    void room.enter("mallory");
    for (let read = 0; read < 250; read += 1) expect(enter("mallory")).toBe("waits");
    expect(enter("mallory")).toBe("ENGINE_OVERLOADED");
    for (const user of ["b", "c", "d"]) for (let read = 0; read < 250; read += 1) expect(enter(user)).toBe("waits");
    expect(enter("alice")).toBe("ENGINE_OVERLOADED");
  });

  it("a read that waits for more than a second is refused as not sent, and holds nothing", async () => {
    const { room, clock } = open(1);
    void room.enter("mallory");
    const late = room.enter("alice");
    clock.advance(1_000);
    await expect(late).rejects.toMatchObject({ code: "ENGINE_OVERLOADED" });
    room.leave();
    expect(room.enter("bob")).toBeUndefined();
    expect(clock.pending).toBe(0);
  });
});
