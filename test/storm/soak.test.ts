import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { requireCommand } from "../cli/command.ts";
import { type StormEngine, startStormEngine } from "./engine.ts";
import { Replica } from "./replica.ts";

const ROUNDS = 6;
const ROUND_MS = 4_000;
const CALLERS = 40;
const PATHS = ["/services", "/trading/status", "/services", "/trading/status?projectionPath=Account[A]", "/nowhere"];

let engine: StormEngine;

beforeAll(async () => {
  requireCommand();
  engine = await startStormEngine();
});

afterAll(() => void engine.process.kill("SIGKILL"));

/** Resident memory in KB and open descriptors. */
function usage(pid: number): { memory: number; descriptors: number } {
  const [, memory] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return { memory: Number(memory), descriptors: readdirSync(`/proc/${pid}/fd`).length };
}

async function load(replica: Replica, round: number): Promise<void> {
  const until = performance.now() + ROUND_MS;
  const caller = async (own: number): Promise<void> => {
    for (let count = 0; performance.now() < until; count += 1) {
      const id = `soak-${round}-${own}-${count}`;
      if (own % 8 === 0) await replica.send("POST", "/trading/halt", id);
      else await replica.send("GET", PATHS[count % PATHS.length] ?? "", id);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, (_, own) => caller(own)));
}

describe("under mixed load for a while", () => {
  it("memory and descriptors are flat", { timeout: 120_000 }, async () => {
    const replica = await Replica.start(engine.url);
    onTestFinished(() => replica.close());
    const found: ReturnType<typeof usage>[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await load(replica, round);
      found.push(usage(replica.pid));
    }
    const [, , settled, ...later] = found;
    const last = later.at(-1);
    expect(last?.memory).toBeLessThan((settled?.memory ?? 0) * 1.25);
    expect(last?.descriptors).toBeLessThanOrEqual((settled?.descriptors ?? 0) + 5);
  });
});
