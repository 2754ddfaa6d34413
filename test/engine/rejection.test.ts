import { expect, it, vi } from "vitest";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
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

it.each([
  ["haltTrading", {}],
  ["enableService", { name: "TWAP" }],
  ["listServices", {}],
] as const)(
  "D-VAL 13: an engine that has no %s: the caller gets 400 and is told so, and nothing was changed",
  async (method, input) => {
    const rig = await startTestRig();
    // An engine without types may lack a method.
    Reflect.set(rig.engine, method, undefined);
    const calling = rig.api.call(method, input as never, principal("chief", PERMISSIONS));
    await expect(calling).rejects.toMatchObject({
      code: "NOT_SUPPORTED",
      status: 400,
      outcome: "rejected",
      message: `The engine does not support ${method}`,
    });
    expect(rig.audit.stages).toEqual(method === "listServices" ? [] : ["intent", "rejected"]);
  },
);

it("D-VAL 13: an engine may refuse an operation as unsupported itself", async () => {
  const rig = await startTestRig();
  vi.spyOn(rig.engine, "haltTrading").mockImplementation(() => {
    throw new EngineRejection("unsupported", "no kill switch");
  });
  await expect(rig.as("chief").haltTrading()).rejects.toThrow("The engine does not support haltTrading");
});
