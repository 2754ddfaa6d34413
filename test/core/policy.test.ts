import { expect, it } from "vitest";
import { AdminApi } from "../../src/core/admin-api.ts";
import { PERMISSIONS } from "../../src/core/operations/permission.ts";
import type { Policy } from "../../src/core/policy/policy.ts";
import { principal } from "../../src/core/principal.ts";
import { startTestRig } from "../../src/testing/rig.ts";

/** Calls under a policy, and the operations that the engine is sent. */
async function under(policy: Policy) {
  const { bus, audit, clock, gate } = await startTestRig();
  const api = new AdminApi({ transport: bus, audit, clock, authorize: policy });
  return { calls: api.as(principal("chief", PERMISSIONS)), sent: () => gate.seen.map(({ method }) => method) };
}

it("D-LOAD 4: a policy may refuse a stop, with its reason and nothing sent", async () => {
  const { calls, sent } = await under(() => "outside of hours");
  const refusal = { code: "POLICY_DENIED", status: 403, message: "outside of hours" };
  await expect(calls.haltTrading()).rejects.toMatchObject(refusal);
  expect(sent()).toEqual([]);
});

it("D-LOAD 4: a policy that fails refuses a change and lets a stop pass", async () => {
  const { calls, sent } = await under(() => Promise.reject(new Error("broken")));
  await expect(calls.resumeTrading()).rejects.toMatchObject({ code: "POLICY_FAILED", status: 500 });
  await calls.haltTrading();
  expect(sent()).toEqual(["haltTrading"]);
});
