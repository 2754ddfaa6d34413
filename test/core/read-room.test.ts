import { describe, expect, it } from "vitest";
import { Gate } from "../../src/core/load/gate.ts";
import { ReadRoom } from "../../src/core/load/read-room.ts";
import { operations } from "../../src/core/operations/table.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

function open(places: number): { room: ReadRoom; clock: ManualClock } {
  const clock = new ManualClock();
  return { room: new ReadRoom(new Gate(clock), operations, places), clock };
}

describe("D-LOAD 7: large replies have a bounded number of places", () => {
  it("lists are taken for large until the engine has answered with a short one, and other outputs are not", () => {
    const { room } = open(1);
    const large = (["listPositions", "getRiskTable", "listServices", "getTradingStatus", "getService"] as const).map(
      (name) => room.expectsLarge(name),
    );
    expect(large).toEqual([true, true, true, false, false]);
    room.learn("listServices", false);
    expect(room.expectsLarge("listServices")).toBe(false);
    room.learn("listServices", true);
    expect(room.expectsLarge("listServices")).toBe(true);
  });

  it("what is beyond waits, users taking turns, and takes over the place that becomes free", async () => {
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

  it("who waits for more than a second is refused as not sent, and holds nothing", async () => {
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
