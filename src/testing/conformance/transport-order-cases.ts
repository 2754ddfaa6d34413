import assert from "node:assert/strict";
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import type { EngineReply } from "../../core/engine/transport.ts";
import { operationNames } from "../../core/operations/table.ts";
import type { Engine } from "../../engine/engine.ts";
import { serveEngine } from "../../engine/serve.ts";
import { Chance } from "../../engine/simulated/random.ts";
import { echo } from "./scripted-engine.ts";
import { describeOutcome, type SentRequest } from "./sent.ts";
import type { TransportBench } from "./transport-bench.ts";
import { onLink, type TransportCase } from "./transport-case.ts";

const LANES = ["read", "change", "stop"] as const;

const VOLUME = 10_000;

const HOUR_MS = 3_600_000;

/** As many as a gateway ever has in flight for reads. */
const IN_FLIGHT = 256;

/** Sends many requests, with a bounded number in flight, and replies to them in an order of chance. */
async function sendVolume(bench: TransportBench): Promise<SentRequest[]> {
  const random = new Chance(VOLUME);
  const held: { readonly id: string; readonly resolve: (reply: EngineReply) => void }[] = [];
  bench.engine.replyWith(({ context: { requestId: id } }) => new Promise((resolve) => held.push({ id, resolve })));
  const all: SentRequest[] = [];
  let settled = 0;
  const hasPlace = (): boolean => all.length - settled < IN_FLIGHT;
  while (all.length < VOLUME) {
    while (all.length < VOLUME && hasPlace()) {
      const sent = bench.send({ lane: LANES[all.length % LANES.length] ?? "read" });
      all.push(sent);
      void sent.settled.then(() => {
        settled += 1;
      });
    }
    await bench.timeLimit.until(
      "requests reach the engine, or have their replies",
      () => held.length > 0 || hasPlace(),
    );
    for (let count = Math.ceil(held.length / 2); count > 0; count -= 1) {
      const [replied] = held.splice(random.whole(0, held.length - 1), 1);
      replied?.resolve(echo(replied.id));
    }
    await turn();
  }
  await bench.timeLimit.until("all requests are settled", () => {
    for (const { id, resolve } of held.splice(0)) resolve(echo(id));
    return settled === VOLUME;
  });
  return all;
}

function notingEngine(begun: string[]): Engine {
  const method = (_input: unknown, { requestId }: { requestId: string }): null => {
    begun.push(requestId);
    return null;
  };
  return Object.fromEntries(operationNames.map((name) => [name, method])) as unknown as Engine;
}

/** Many concurrent requests, and time. */
export const orderCases: readonly TransportCase[] = [
  onLink("interleaving: replies in any order go to those who asked", async (bench) => {
    const all = bench.sendMany(20);
    await bench.arrived(...all);
    for (const { id } of all.toReversed()) {
      bench.engine.reply(id);
      await turn();
    }
    await bench.expectEchoes(...all);
  }),
  onLink("order: requests of all lanes and sizes reach the engine in the order of sending", async (bench) => {
    const random = new Chance(1);
    const all: SentRequest[] = [];
    for (let index = 0; index < 200; index += 1) {
      const padding = "x".repeat(random.oneIn(20) ? 50_000 : random.whole(0, 50));
      all.push(bench.send({ lane: random.pick(LANES), input: { padding } }));
      if (random.oneIn(10)) await turn();
    }
    await bench.arrived(...all);
    const arrived = bench.engine.arrivals.map(({ context }) => context.requestId);
    const sent = all.map(({ id }) => id);
    assert.deepEqual(arrived, sent, "requests in the order of their arrival, compared with that of sending");
  }),
  onLink("late reply: a reply that comes after the deadline still goes to who asked", async (bench) => {
    const sent = bench.send({ lane: "change", context: { deadline: Date.now() + 50 } });
    await bench.arrived(sent);
    await pause(1_000);
    assert.equal(describeOutcome(sent), "pending", "a transport has no timer for requests");
    bench.engine.reply(sent.id);
    await bench.expectEchoes(sent);
  }),
  onLink("abort: the reply to an abandoned request disturbs no other", async (bench) => {
    const [before, abandoned, after] = [bench.send(), bench.send(), bench.send()];
    await bench.arrived(before, abandoned, after);
    abandoned.abandon();
    abandoned.abandon();
    for (const { id } of [abandoned, after, before]) bench.engine.reply(id);
    await bench.expectEchoes(before, after);
    await bench.expectWorks();
    before.abandon();
    await bench.expectWorks("stop");
  }),
  onLink("abort: thousands of abandoned requests whose replies are late leave no place taken", async (bench) => {
    for (let round = 0; round < 20; round += 1) {
      const all = bench.sendMany(200);
      await bench.arrived(...all);
      for (const sent of all) sent.abandon();
      bench.engine.replyToAll();
    }
    await bench.expectWorks();
  }),
  onLink(
    "deadline: serveEngine drops what arrives after its deadline, and the engine does not begin it",
    async (bench) => {
      const begun: string[] = [];
      await serveEngine(notingEngine(begun), bench.bus);
      const late = bench.send({ lane: "change", context: { deadline: Date.now() - HOUR_MS } });
      const inTime = bench.send({ lane: "change" });
      await bench.settled(late, inTime);
      assert.equal(describeOutcome(late), "reply: refusal rejected", "the request past its deadline");
      assert.equal(describeOutcome(inTime), "reply: null", "the request in time");
      assert.deepEqual(begun, [inTime.id], "what the engine began");
    },
  ),
  onLink(
    "time left: serveEngine begins a stop that has some, whatever its deadline says, and drops one that has none",
    async (bench) => {
      const begun: string[] = [];
      await serveEngine(notingEngine(begun), bench.bus);
      const [before, after] = [Date.now() - HOUR_MS, Date.now() + HOUR_MS];
      const some = bench.send({ lane: "stop", context: { deadline: before, timeLeft: HOUR_MS } });
      const none = bench.send({ lane: "stop", context: { deadline: after, timeLeft: 0 } });
      await bench.settled(some, none);
      assert.equal(describeOutcome(some), "reply: null", "the stop that has time left");
      assert.equal(describeOutcome(none), "reply: refusal rejected", "the stop that has none");
      assert.deepEqual(begun, [some.id], "what the engine began");
    },
  ),
  onLink(
    "10,000 requests of all lanes, replies in an order of chance: no mix-up, nothing lost or doubled",
    async (bench) => {
      const all = await sendVolume(bench);
      await bench.expectEchoes(...all);
      const ids = bench.engine.arrivals.map(({ context }) => context.requestId);
      assert.equal(ids.length, VOLUME, "requests that reached the engine");
      assert.equal(new Set(ids).size, VOLUME, "different requests that reached the engine");
    },
  ),
];
