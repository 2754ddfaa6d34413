import { expect, it, vi } from "vitest";
import { EngineRejection, type RejectionKind } from "../../src/engine/engine.ts";
import { startTestRig } from "../../src/testing/rig.ts";

it.each<readonly [RejectionKind, number, string]>([
  ["rejected", 400, "rejected"],
  ["not-found", 404, "rejected"],
  ["overloaded", 429, "not-sent"],
  ["unavailable", 503, "not-sent"],
])("an engine that refuses a halt as %s: the caller gets %i, the record says %s", async (refusal, status, stage) => {
  const rig = await startTestRig();
  vi.spyOn(rig.engine, "haltTrading").mockImplementation(() => {
    throw new EngineRejection(refusal, "not now");
  });
  const halting = rig.as("chief").haltTrading();
  await expect(halting).rejects.toMatchObject({ status, message: "not now" });
  expect(rig.audit.stages).toEqual(["intent", stage]);
});
