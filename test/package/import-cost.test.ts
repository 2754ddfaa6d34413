import { beforeAll, expect, it } from "vitest";
import { requireBuild } from "./build.ts";
import { openConsumer } from "./consumer.ts";

const ROUNDS = 15;
const MOST = 1.3;

/** Prints how long an import took, in milliseconds. */
const TIMED = `const start = performance.now(); await import(process.argv[2]); console.log(performance.now() - start);`;

beforeAll(requireBuild);

it("importing the core costs little more than importing zod", async () => {
  const consumer = openConsumer();
  try {
    const file = consumer.write("timed.mjs", TIMED);
    const cost = async (specifier: string): Promise<number> => Number((await consumer.node(file, specifier)).stdout);
    // The least of several, one after the other in turns: what else the machine does only adds.
    let [core, zod] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let round = 0; round < ROUNDS; round += 1) {
      zod = Math.min(zod, await cost("zod"));
      core = Math.min(core, await cost("trading-admin-api"));
    }
    expect(core / zod).toBeLessThanOrEqual(MOST);
  } finally {
    consumer.close();
  }
});
