import assert from "node:assert/strict";
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import type { LinkState } from "../../core/engine/transport.ts";
import { describeOutcome, type SentRequest, transportErrorOf } from "./sent.ts";
import type { TransportBench } from "./transport-bench.ts";
import { onBench, onLink, type TransportCase } from "./transport-case.ts";

const NOT_SENT = "exchange threw TransportError unavailable, sent: false";
const SENT_AND_LOST = "reply rejected with TransportError unavailable, sent: true";

const ROUNDS = 3;

/** Milliseconds in which a transport that sends again would do so. */
const AFTERMATH_MS = 300;

function notSent(all: readonly SentRequest[]): SentRequest[] {
  return all.filter((sent) => transportErrorOf(sent)?.sent === false);
}

/** Checks every request, whatever happened to the link, once a later one has arrived. */
async function expectOutcomes(bench: TransportBench, all: readonly SentRequest[]): Promise<void> {
  const { engine } = bench;
  await bench.expectWorks();
  for (const { id } of notSent(all)) {
    assert.equal(engine.count(id), 0, `arrivals of request ${id}, of which was said that it was not sent`);
  }
  for (const { id } of all)
    assert.ok(engine.count(id) <= 1, `request ${id} reached the engine ${engine.count(id)} times`);
}

async function sendOverBreak(bench: TransportBench): Promise<SentRequest[]> {
  const all = bench.sendMany(20, { lane: "change" });
  await turn();
  all.push(...bench.sendMany(20, { lane: "change" }));
  const cut = bench.beginCut();
  for (let count = 0; count < 20; count += 1) {
    all.push(...bench.sendMany(2, { lane: "change" }));
    await turn();
  }
  await cut;
  await bench.untilState("down");
  all.push(bench.send({ lane: "change" }));
  return all;
}

/** The state that the transport shows, and what it does with a request in the same moment. */
function checkState(bench: TransportBench): SentRequest {
  const { state } = bench.transport;
  const sent = bench.send();
  const refused = sent.outcome?.kind === "refused";
  if (state === "down") assert.equal(describeOutcome(sent), NOT_SENT, 'a request while the state is "down"');
  else assert.ok(!refused, `a request while the state is "up": ${describeOutcome(sent)}`);
  return sent;
}

/** Checks the state again and again until it is so. */
function watchState(bench: TransportBench, state: LinkState, all: SentRequest[]): Promise<void> {
  return bench.timeLimit.until(`the transport's state becomes "${state}"`, () => {
    all.push(checkState(bench));
    return bench.transport.state === state;
  });
}

/** How long a peer hangs: longer than replies usually take, shorter than a transport's own patience. */
const HANG_MS = 300;

/** Messages from a peer that are not replies. */
const STRAYS: readonly string[] = [
  "not JSON",
  "null",
  "[]",
  "{}",
  '{"jsonrpc":"2.0","id":null,"result":null}',
  '{"jsonrpc":"2.0","id":999999999,"result":null}',
  '{"jsonrpc":"2.0","id":"1","result":null}',
  '{"jsonrpc":"2.0","method":"haltTrading","params":{}}',
];

async function sendToHanging(bench: TransportBench): Promise<SentRequest[]> {
  const all = bench.sendMany(5, { lane: "change" });
  await bench.arrived(...all);
  const resume = bench.stallLink();
  for (const lane of ["read", "change", "stop"] as const) all.push(bench.send({ lane }));
  bench.engine.replyToAll();
  await pause(HANG_MS);
  resume();
  return all;
}

/** A message that is not a reply comes while a request waits for its own. */
async function checkStray(bench: TransportBench, text: string): Promise<void> {
  const sent = bench.send({ lane: "change" });
  await bench.arrived(sent);
  await bench.strayMessage(text);
  await turn();
  bench.engine.reply(sent.id);
  await bench.settled(sent);
  const ends = [`reply: ${JSON.stringify({ echo: sent.id })}`, SENT_AND_LOST];
  assert.ok(ends.includes(describeOutcome(sent)), `a request that waits when ${text} comes: ${describeOutcome(sent)}`);
  await bench.untilState("up");
  await bench.expectWorks();
}

/** The link breaks, hangs or carries what is not a reply, and comes back. */
export const lossCases: readonly TransportCase[] = [
  {
    name: "start: an engine that cannot be reached is not an error; requests are refused until it comes",
    run: (benches) =>
      onBench(benches, async (bench) => {
        await bench.beginCut();
        await bench.bus.listen(bench.engine.handler);
        await bench.transport.start();
        const early = bench.send({ lane: "stop" });
        assert.equal(describeOutcome(early), NOT_SENT);
        assert.equal(bench.transport.state, "down", "state while the engine cannot be reached");
        await bench.restoreLink();
        await expectOutcomes(bench, [early]);
      }),
  },
  onLink(
    "loss before sending: requests are refused immediately as not sent, and the engine never sees them",
    async (bench) => {
      await bench.cutLink();
      const all = (["read", "change", "stop"] as const).map((lane) => bench.send({ lane }));
      assert.deepEqual(all.map(describeOutcome), Array(3).fill(NOT_SENT));
      await bench.restoreLink();
      await expectOutcomes(bench, all);
    },
  ),
  onLink("loss after sending: each request that the engine has gets an outcome", async (bench) => {
    const all = bench.sendMany(10, { lane: "change" });
    await bench.arrived(...all);
    await bench.cutLink();
    if (bench.repliesSurviveLoss) {
      await pause(200);
      assert.deepEqual(all.map(describeOutcome), Array(10).fill("pending"), "requests stay pending");
      await bench.restoreLink();
      bench.engine.replyToAll();
      await bench.expectEchoes(...all);
    } else {
      await bench.settled(...all);
      assert.deepEqual(all.map(describeOutcome), Array(10).fill(SENT_AND_LOST));
    }
  }),
  onLink("loss: replies while the link is broken do no harm", async (bench) => {
    const lost = bench.send({ lane: "change" });
    await bench.arrived(lost);
    await bench.cutLink();
    bench.engine.replyToAll();
    await pause(50);
    await bench.restoreLink();
    await bench.expectWorks();
  }),
  onLink("loss while sending: what is reported as not sent never reaches the engine", async (bench) => {
    const all: SentRequest[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      all.push(...(await sendOverBreak(bench)));
      await bench.restoreLink();
      await bench.expectWorks();
    }
    await pause(AFTERMATH_MS);
    assert.notEqual(notSent(all).length, 0, "requests that were refused as not sent");
    await expectOutcomes(bench, all);
  }),
  onLink("reconnect: the link comes back by itself, time and again, and nothing is sent twice", async (bench) => {
    const all: SentRequest[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const [replied, kept] = [bench.sendMany(10), bench.sendMany(10, { lane: "change" })];
      await bench.arrived(...replied, ...kept);
      for (const { id } of replied) bench.engine.reply(id);
      await bench.expectEchoes(...replied);
      await bench.cutLink();
      await bench.restoreLink();
      await bench.expectWorks();
      all.push(...replied, ...kept);
    }
    await pause(AFTERMATH_MS);
    await expectOutcomes(bench, all);
  }),
  onLink("state: it says up or down as requests are taken or refused in the same moment", async (bench) => {
    const all = [checkState(bench)];
    const cut = bench.beginCut();
    await watchState(bench, "down", all);
    await cut;
    const restore = bench.restoreLink();
    await watchState(bench, "up", all);
    await restore;
    await expectOutcomes(bench, all);
  }),
  onLink(
    "hang: requests to a peer that hangs arrive once or are lost as sent, and the link works again",
    async (bench) => {
      const all = await sendToHanging(bench);
      await bench.untilState("up");
      await expectOutcomes(bench, all);
      bench.engine.replyToAll();
      await bench.settled(...all);
      await expectOutcomes(bench, all);
    },
  ),
  onLink("stray: a message that is not a reply is nobody's, and the link works again", async (bench) => {
    for (const text of STRAYS) await checkStray(bench, text);
  }),
];
