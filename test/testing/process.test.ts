import { beforeAll, expect, it } from "vitest";
import { requireBuild } from "../package/build.ts";
import { openConsumer } from "../package/consumer.ts";

beforeAll(requireBuild);

it("TC: several rigs in one process leave no handle open, closed or not", async () => {
  const consumer = openConsumer();
  const program = `
    import { startTestRig } from "trading-admin-api/testing";
    const users = { alice: { password: "secret" } };
    const rigs = await Promise.all([1, 2, 3].map((seed) => startTestRig({ seed, users })));
    for (const rig of rigs) {
      rig.faults.add({ kind: "drop", times: 1 });
      const lost = rig.as("alice").haltTrading().catch(({ status }) => status);
      await rig.until(() => rig.received().length >= 1);
      rig.clock.advance(10_000);
      console.log(await lost, (await rig.inject({ url: "/api/admin/v1/services", as: "alice" })).status);
    }
    await rigs[0].close();
    await new Promise((resolve) => setTimeout(resolve, 20));
    console.log(JSON.stringify(process.getActiveResourcesInfo().filter((kind) => /Timeout|Immediate|TCP/.test(kind))));`;
  try {
    const { code, stdout, stderr } = await consumer.node(consumer.write("rigs.mjs", program));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.trim().split("\n")).toEqual(["504 200", "504 200", "504 200", "[]"]);
  } finally {
    consumer.close();
  }
});
