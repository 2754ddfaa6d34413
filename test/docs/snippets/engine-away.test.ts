import { serveEngine } from "trading-admin-api/engine";
import { startTestRig } from "trading-admin-api/testing";
import { expect, test } from "vitest";

test("the engine of a rig is taken away and brought back", async () => {
  const rig = await startTestRig();
  const alice = rig.as("alice");
  // #region away
  rig.bus.detach();
  await expect(alice.haltTrading()).rejects.toMatchObject({ status: 503 });
  await serveEngine(rig.engine, rig.bus, rig.clock);
  // #endregion
  await alice.haltTrading();
  expect(rig.received("haltTrading")).toHaveLength(1);
  await rig.close();
});
