import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requireBuild } from "./build.ts";
import { type Consumer, openConsumer } from "./consumer.ts";

const ROUNDS = 21;
const MAX_RATIO = 1.5;

const PROGRAMS = { nothing: "", zod: 'import "zod";', core: 'import "trading-admin-api";' };

const REPORT = "const { user, system } = process.cpuUsage(); process.stdout.write(String((user + system) / 1000));";

let consumer: Consumer;

beforeAll(() => {
  requireBuild();
  consumer = openConsumer();
});

afterAll(() => consumer.close());

/** Milliseconds of processor time that a new Node needs from its start to the end of the program. */
async function costOf(program: string): Promise<number> {
  const { stdout } = await consumer.node("--input-type=module", "-e", program + REPORT);
  return Number(stdout);
}

/** The mean of the lower half: what else runs on the machine only adds to a figure. */
function quietMean(figures: readonly number[]): number {
  const lower = figures.toSorted((a, b) => a - b).slice(0, Math.ceil(figures.length / 2));
  return lower.reduce((sum, figure) => sum + figure, 0) / lower.length;
}

describe("D-PKG 8: importing the core", () => {
  it("costs at most 1.5 times importing zod, the start of Node not counted", {
    retry: 2,
    timeout: 120_000,
  }, async () => {
    const costs: Record<keyof typeof PROGRAMS, number[]> = { nothing: [], zod: [], core: [] };
    // In turns, so that what disturbs one disturbs the others.
    for (let round = 0; round < ROUNDS; round += 1) {
      costs.nothing.push(await costOf(PROGRAMS.nothing));
      costs.zod.push(await costOf(PROGRAMS.zod));
      costs.core.push(await costOf(PROGRAMS.core));
    }
    const start = quietMean(costs.nothing);
    expect((quietMean(costs.core) - start) / (quietMean(costs.zod) - start)).toBeLessThanOrEqual(MAX_RATIO);
  });
});
