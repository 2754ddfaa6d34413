import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { requireCommand } from "../cli/command.ts";
import { type StormEngine, startStormEngine } from "./engine.ts";
import { type Ending, Replica } from "./replica.ts";

const CALLERS = 12;

let engine: StormEngine;

beforeAll(async () => {
  requireCommand();
  engine = await startStormEngine();
});

afterAll(() => void engine.process.kill("SIGKILL"));

/** A request was refused cleanly when nothing can have come of it: another replica is asked. */
const CLEAN = new Set<Ending>(["ECONNREFUSED", 429, 503]);

interface Sent {
  readonly id: string;
  readonly ending: Ending;
}

/** Asks the replicas that are ready in turn, as a load balancer does, until `going` says no; every third request halts. */
async function call(replicas: readonly Replica[], caller: number, going: () => boolean): Promise<Sent[]> {
  const sent: Sent[] = [];
  for (let count = 0; going(); count += 1) {
    const ready = replicas.filter(({ isReady }) => isReady);
    const replica = (ready.length > 0 ? ready : replicas)[(caller + count) % Math.max(1, ready.length)];
    const isHalt = count % 3 === 0;
    const id = `${isHalt ? "halt" : "read"}-${caller}-${count}`;
    const ending = await replica?.send(isHalt ? "POST" : "GET", isHalt ? "/trading/halt" : "/trading/status", id);
    sent.push({ id, ending: ending ?? "none" });
  }
  return sent;
}

describe("D-GATE 5, D-ENG 3: rolling restart of two gateways behind a round-robin client under load", () => {
  it("no read fails that was not refused cleanly, and the audit explains the outcome of every halt", {
    timeout: 120_000,
  }, async () => {
    const replicas = [await Replica.start(engine.url), await Replica.start(engine.url)];
    onTestFinished(async () => {
      for (const replica of replicas) await replica.close();
    });
    let going = true;
    const calls = Array.from({ length: CALLERS }, (_, caller) => call(replicas, caller, () => going));
    for (const replica of [...replicas, ...replicas]) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect(await replica.restart()).toBe(0);
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    going = false;
    const sent = (await Promise.all(calls)).flat();
    const reads = sent.filter(({ id }) => id.startsWith("read"));
    const halts = sent.filter(({ id }) => id.startsWith("halt"));
    expect(reads.filter(({ ending }) => ending === 200).length).toBeGreaterThan(100);
    expect(reads.filter(({ ending }) => ending !== 200 && !CLEAN.has(ending))).toEqual([]);
    const stages = new Map([...((await replicas[0]?.stages()) ?? []), ...((await replicas[1]?.stages()) ?? [])]);
    const unexplained = halts.filter(({ id, ending }) => !explains(stages.get(id) ?? [], ending));
    expect(unexplained).toEqual([]);
    expect(halts.filter(({ ending }) => ending === 200).length).toBeGreaterThan(50);
  });
});

/** Whether the records of a halt say what its caller was told. */
function explains(stages: readonly string[], ending: Ending): boolean {
  if (ending === 200) return stages.includes("intent") && stages.includes("applied");
  if (ending === 504) return stages.includes("unknown");
  if (ending === 429 || ending === 503) return stages.includes("not-sent");
  // It never arrived.
  return ending === "ECONNREFUSED" && stages.length === 0;
}
