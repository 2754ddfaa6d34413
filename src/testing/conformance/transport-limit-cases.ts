import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { describeOutcome, isOverload, type SentRequest } from "./sent.ts";
import type { TransportBench } from "./transport-bench.ts";
import { type Benches, onBench, onLink, type TransportCase } from "./transport-case.ts";

const BATCH = 64;

/** Requests without a reply after which every transport has to refuse more. */
const MAX_REQUESTS = 20_000;

const CYCLES = 5;

/** Sends requests that get no reply until one is refused as overload. */
async function fill(bench: TransportBench): Promise<{ taken: SentRequest[]; refused: SentRequest[] }> {
  const taken: SentRequest[] = [];
  while (taken.length < MAX_REQUESTS) {
    const batch = bench.sendMany(BATCH);
    await bench.timeLimit.until("each request reaches the engine or is refused", () =>
      batch.every(({ id, outcome }) => outcome !== undefined || bench.engine.count(id) > 0),
    );
    const refused = batch.filter(({ outcome }) => outcome !== undefined);
    taken.push(...batch.filter(({ outcome }) => outcome === undefined));
    if (refused.length > 0) return { taken, refused };
  }
  throw new assert.AssertionError({
    message: `${MAX_REQUESTS} requests without a reply were taken, and none was refused`,
  });
}

/** How often each kind of resource keeps the process alive, and how many listeners the process has. */
function resources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  for (const name of process.eventNames())
    counts.set(`listeners of process, ${String(name)}`, process.listenerCount(name));
  return counts;
}

function increased(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): string[] {
  return [...after].flatMap(([kind, count]) => {
    const more = count - (before.get(kind) ?? 0);
    return more > 0 ? [`${more} ${kind}`] : [];
  });
}

/** Opens a fixture, uses it, closes it. */
function useOnce(benches: Benches): Promise<void> {
  return onBench(benches, async (bench) => {
    await bench.start();
    const all = bench.sendMany(100);
    await bench.arrived(...all);
    for (const sent of all.slice(0, 50)) sent.abandon();
    bench.engine.replyToAll();
    await bench.expectEchoes(...all.slice(50));
    bench.send({ lane: "change" });
    await bench.transport.close();
  });
}

/** Warnings of the process about too many listeners on one emitter, while something is done. */
async function listenerWarnings(act: () => Promise<void>): Promise<Error[]> {
  const warnings: Error[] = [];
  const note = (warning: Error): void => {
    if (warning.name === "MaxListenersExceededWarning") warnings.push(warning);
  };
  process.on("warning", note);
  try {
    await act();
    await turn();
  } finally {
    process.off("warning", note);
  }
  return warnings;
}

export const limitCases: readonly TransportCase[] = [
  onLink(
    "overload: an engine that never replies cannot fill memory; more is refused as overload and not begun",
    async (bench) => {
      const { taken, refused } = await fill(bench);
      for (const sent of refused) assert.ok(isOverload(sent), `beyond the limit: ${describeOutcome(sent)}`);
      for (const { id } of refused) assert.equal(bench.engine.count(id), 0, `arrivals of refused request ${id}`);
      bench.engine.replyToAll();
      await bench.expectEchoes(...taken);
      for (const { id } of refused) assert.equal(bench.engine.count(id), 0, `arrivals of refused request ${id}, later`);
    },
  ),
  onLink("overload: a stop still goes through, and gets its reply", async (bench) => {
    await fill(bench);
    await bench.expectWorks("stop");
  }),
  onLink("overload: it is over when replies come", async (bench) => {
    const { taken } = await fill(bench);
    bench.engine.replyToAll();
    await bench.expectEchoes(...taken);
    await bench.expectWorks();
    await bench.expectWorks("change");
  }),
  onLink("close: a pending request is rejected as sent, a later one as not sent", async (bench) => {
    const all = bench.sendMany(10, { lane: "change" });
    await bench.arrived(...all);
    await bench.transport.close();
    await bench.settled(...all);
    assert.deepEqual(
      all.map(describeOutcome),
      Array(10).fill("reply rejected with TransportError unavailable, sent: true"),
    );
    assert.equal(bench.transport.state, "down", "state of a closed transport");
    const later = bench.send({ lane: "stop" });
    assert.equal(describeOutcome(later), "exchange threw TransportError unavailable, sent: false");
  }),
  onLink(
    "close: twice, together or one after the other, does no harm; replies that come then neither",
    async (bench) => {
      const abandoned = bench.send();
      await bench.arrived(abandoned);
      abandoned.abandon();
      await Promise.all([bench.transport.close(), bench.transport.close()]);
      await bench.transport.close();
      bench.engine.replyToAll();
      await turn();
      assert.equal(bench.transport.state, "down", "state of a closed transport");
    },
  ),
  {
    name: "close: while the link is broken, and before the transport was started",
    run: async (benches) => {
      await onBench(benches, (bench) => bench.transport.close());
      await onBench(benches, async (bench) => {
        await bench.start();
        await bench.cutLink();
        await bench.transport.close();
        assert.equal(bench.transport.state, "down", "state of a closed transport");
      });
    },
  },
  {
    name: "leaks: fixtures that were used and closed leave no socket, timer or listener behind",
    run: async (benches) => {
      // What is loaded or made once is not a leak.
      await useOnce(benches);
      await turn();
      const before = resources();
      for (let cycle = 0; cycle < CYCLES; cycle += 1) await useOnce(benches);
      let more: string[] = [];
      const what = `nothing is left over from ${CYCLES} fixtures`;
      await benches.timeLimit
        .until(what, () => {
          more = increased(before, resources());
          return more.length === 0;
        })
        .catch((cause: unknown) => assert.fail(new Error(`${what}; left over: ${more.join(", ")}`, { cause })));
    },
  },
  onLink("leaks: hundreds of pending requests pile up no listeners on one emitter", async (bench) => {
    const warnings = await listenerWarnings(async () => {
      for (let round = 0; round < 3; round += 1) {
        const all = bench.sendMany(300);
        await bench.arrived(...all);
        bench.engine.replyToAll();
        await bench.expectEchoes(...all);
      }
    });
    assert.deepEqual(warnings, []);
  }),
];
