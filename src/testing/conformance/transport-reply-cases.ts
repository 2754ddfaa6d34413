import assert from "node:assert/strict";
import type { EngineRefusal, EngineReply } from "../../core/engine/transport.ts";
import type { TransportBench } from "./transport-bench.ts";
import { onLink, type TransportCase } from "./transport-case.ts";

const REFUSALS: readonly EngineRefusal[] = [
  "rejected",
  "not-found",
  "unsupported",
  "overloaded",
  "unavailable",
  "not-understood",
  "internal",
];

const ODD_TEXT = 'Größe "≤" 限度 🛑\u0000\u2028\\n\n\t</script>';

/** Results of every shape that JSON has. */
const RESULTS: readonly unknown[] = [
  null,
  [],
  {},
  false,
  0,
  "",
  ODD_TEXT,
  Number.MAX_SAFE_INTEGER,
  [[], [null, { "": [] }]],
  { [ODD_TEXT]: { size: `-${"9".repeat(62)}`, rows: [{ limits: { MaxOrderSize: null } }] } },
];

const BIG = "0123456789".repeat(100_000);

/** Results that are long are lists; a transport may refuse others of this size. */
const BIG_LIST = Array.from({ length: 25_000 }, (_, row) => ({ name: `row ${row}`, text: "0123456789" }));

/** Sends a request to which the engine replies so, and compares the reply. */
async function expectUnchanged(bench: TransportBench, reply: EngineReply): Promise<void> {
  const sent = bench.send();
  await bench.arrived(sent);
  bench.engine.reply(sent.id, reply);
  await bench.settled(sent);
  assert.deepEqual(sent.outcome, { kind: "reply", reply }, "the reply that came to the gateway's end");
}

/** Replies and requests arrive as they were given. */
export const replyCases: readonly TransportCase[] = [
  onLink("reply: results of every JSON shape arrive unchanged, null and Unicode included", async (bench) => {
    for (const result of RESULTS) await expectUnchanged(bench, { ok: true, result });
  }),
  ...REFUSALS.map((refusal) =>
    onLink(`reply: the refusal "${refusal}" arrives as that, with its message unchanged`, async (bench) => {
      for (const message of [`Not today: "${refusal}"`, ODD_TEXT, ""]) {
        await expectUnchanged(bench, { ok: false, refusal, message });
      }
    }),
  ),
  onLink("reply: a list of 1,000,000 bytes arrives whole, and requests beside it get theirs", async (bench) => {
    const [big, small] = [bench.send(), bench.send()];
    await bench.arrived(big, small);
    bench.engine.reply(big.id, { ok: true, result: BIG_LIST });
    bench.engine.reply(small.id);
    await bench.expectEchoes(small);
    await bench.settled(big);
    const { outcome } = big;
    assert.ok(outcome?.kind === "reply" && outcome.reply.ok, "the big result is a reply");
    assert.deepEqual(outcome.reply.result, BIG_LIST, "the big result");
  }),
  onLink("reply: an engine that replies immediately and one that replies later serve alike", async (bench) => {
    const reply: EngineReply = { ok: true, result: { at: "once" } };
    bench.engine.replyWith(async () => reply);
    const immediate = bench.send();
    bench.engine.replyWith(() => new Promise((resolve) => setImmediate(() => resolve(reply))));
    const later = bench.send();
    await bench.settled(immediate, later);
    assert.deepEqual([immediate.outcome, later.outcome], Array(2).fill({ kind: "reply", reply }));
  }),
  onLink(
    "request: method, input, user, request id, deadline and time left reach the engine unchanged",
    async (bench) => {
      const input = { name: ODD_TEXT, reason: "", nested: { limits: { MaxOrderSize: null } }, list: [1, "1", true] };
      const context = { user: ODD_TEXT, requestId: "a.b_c-1", deadline: Date.now() + 60_000, timeLeft: 59_999 };
      const sent = bench.send({ lane: "change", input, context });
      await bench.arrived(sent);
      const [arrived] = bench.engine.arrivals;
      assert.equal(arrived?.method, "enableService", "method");
      assert.deepEqual(arrived.input, input, "input");
      const { traceparent, ...rest } = arrived.context;
      assert.deepEqual(rest, context, "context");
      assert.equal(traceparent, undefined, "traceparent of a request that has none");
    },
  ),
  onLink("request: a traceparent reaches the engine unchanged", async (bench) => {
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const sent = bench.send({ context: { traceparent } });
    await bench.arrived(sent);
    assert.equal(bench.engine.arrivals[0]?.context.traceparent, traceparent);
  }),
  onLink("request: the engine's end knows the lane of every request", async (bench) => {
    const lanes = ["read", "change", "stop"] as const;
    await bench.arrived(...lanes.map((lane) => bench.send({ lane })));
    assert.deepEqual(
      bench.engine.arrivals.map(({ lane }) => lane),
      lanes,
    );
  }),
  onLink("request: an input of 1,000,000 bytes reaches the engine whole", async (bench) => {
    const sent = bench.send({ input: { name: BIG } });
    await bench.arrived(sent);
    const [arrived] = bench.engine.arrivals;
    assert.ok((arrived?.input as { name?: string } | undefined)?.name === BIG, "the big input is the same text");
  }),
];
