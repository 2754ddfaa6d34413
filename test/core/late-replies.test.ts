import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import {
  DEFAULT_CAPACITIES,
  DEFAULT_LARGE_REPLIES,
  DEFAULT_USER_SHARE,
  EngineLink,
} from "../../src/core/engine/engine-link.ts";
import { LateReplies } from "../../src/core/engine/late-replies.ts";
import { type EngineReply, TransportError, type UnsentRequest } from "../../src/core/engine/transport.ts";
import { Gate } from "../../src/core/load/gate.ts";
import type { Lane } from "../../src/core/operations/operation.ts";
import { operations } from "../../src/core/operations/table.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

const TIMEOUT_MS = 50;
const METHODS = { stop: "haltTrading", change: "resumeTrading", read: "listServices" } as const;

/** A reply that the test gives. */
class GivenReply {
  resolve: (reply: EngineReply) => void = () => {};
  reject: (error: Error) => void = () => {};
  readonly promise = new Promise<EngineReply>((resolve, reject) => Object.assign(this, { resolve, reject }));
}

/** A link over a transport whose replies the test gives, and the lanes of requests that it has abandoned. */
class World {
  readonly clock = new ManualClock();
  readonly gate = new Gate(this.clock);
  readonly abandoned: Lane[] = [];
  readonly replies: GivenReply[] = [];
  readonly link = new EngineLink({
    transport: {
      state: "up",
      start: async () => {},
      close: async () => {},
      exchange: ({ lane }) => {
        const reply = new GivenReply();
        this.replies.push(reply);
        return { reply: reply.promise, abandon: () => this.abandoned.push(lane) };
      },
    },
    clock: this.clock,
    gate: this.gate,
    operations,
    timeoutMs: TIMEOUT_MS,
    capacities: DEFAULT_CAPACITIES,
    userShare: DEFAULT_USER_SHARE,
    largeReplies: DEFAULT_LARGE_REPLIES,
  });

  request(lane: Lane): UnsentRequest {
    const context = { user: "chief", requestId: lane };
    return { method: METHODS[lane], input: {}, lane, due: this.link.due(), context };
  }

  /** Time passes in which other work uses up its turn. */
  stall(ms: number): void {
    this.gate.schedule("mallory", "other", () => this.clock.advance(ms));
  }
}

describe("D-ENG 10: late replies are waited for within bounds", () => {
  it("and of 1,001 mutations the oldest is given up, and no timer is left when the others have their replies", async () => {
    const clock = new ManualClock();
    const answers = new LateReplies(clock);
    const abandoned: number[] = [];
    const late: number[] = [];
    const { promise, resolve } = new GivenReply();
    for (let index = 0; index <= 1_000; index += 1) {
      answers.await({ reply: promise, abandon: () => abandoned.push(index) }, () => late.push(index));
    }
    expect(abandoned).toEqual([0]);
    resolve({ ok: true, result: null });
    await promise;
    expect(late).toEqual(Array.from({ length: 1_000 }, (_, index) => index + 1));
    expect(clock.pending).toBe(0);
  });

  it("and none any more once the link is lost, or closed", async () => {
    const world = new World();
    const { link, clock, replies, abandoned } = world;
    const calls = [1, 2, 3].map(() => link.send(world.request("change"), () => {}));
    const failed = Promise.allSettled(calls);
    clock.advance(TIMEOUT_MS);
    await failed;
    expect(clock.pending).toBe(3);
    replies[0]?.reject(new TransportError("unavailable", "lost", { sent: true }));
    await turn();
    expect([clock.pending, abandoned]).toEqual([2, []]);
    link.close();
    expect([clock.pending, abandoned]).toEqual([0, ["change", "change"]]);
  });
});

describe("D-ENG 1: who waits is told when the deadline has passed", () => {
  it("but not if the reply came before it was their turn to be told", async () => {
    const world = new World();
    const call = world.link.read(world.request("read"), (reply) => reply);
    world.stall(TIMEOUT_MS);
    world.replies[0]?.resolve({ ok: true, result: [] });
    expect(await call).toEqual({ ok: true, result: [] });
    await turn();
    expect([world.abandoned, world.clock.pending]).toEqual([[], 0]);
  });

  it("D-LANE 2: and who waits for a stop before all others", async () => {
    const world = new World();
    const lanes: Lane[] = ["read", "change", "stop"];
    const calls = Promise.allSettled(lanes.map((lane) => world.link.send(world.request(lane))));
    world.stall(TIMEOUT_MS);
    await calls;
    expect(world.abandoned).toEqual(["stop", "read", "change"]);
  });
});

describe("D-ENG 12: what a transport fails with leaves the outcome of a mutation unknown", () => {
  it.each([
    ["unforeseen", new RangeError("unforeseen")],
    ["because it does not understand the reply", new TransportError("protocol", "not JSON", { sent: true })],
  ])("if it is %s; the log has the cause", async (_what, cause) => {
    for (const lane of ["change", "read"] as const) {
      const world = new World();
      const call = world.link.send(world.request(lane));
      world.replies[0]?.reject(cause);
      await expect(call).rejects.toMatchObject({ code: "ENGINE_FAILED", outcome: "unknown", cause });
    }
  });

  it("D-ENG 11: whereas a read whose link is lost may be repeated; the log has the cause", async () => {
    const world = new World();
    const call = world.link.read(world.request("read"), (reply) => reply);
    world.replies[0]?.reject(new TransportError("unavailable", "lost", { sent: true }));
    const cause = { name: "TransportError", message: "lost" };
    await expect(call).rejects.toMatchObject({ code: "ENGINE_UNAVAILABLE", cause });
  });
});
