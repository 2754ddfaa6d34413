// A test harness: a whole installation in this process, its clock held by the test, with a late reply. The tests run as they are
// with vitest, jest and node:test, which `describeWith` is given; see harness.node.test.mjs, harness.vitest.test.mjs and
// harness.jest.test.mjs.
import assert from "node:assert/strict";
import { startTestRig } from "trading-admin-api/testing";

const users = { alice: { password: "wonderland", permissions: ["HALT_RESUME_TRADING"] } };
const HALT = { method: "POST", url: "/api/admin/v1/trading/halt", as: "alice", body: { reason: "drill" } };

export function describeWith(test) {
  test("a halt is confirmed by the status", async () => {
    const rig = await startTestRig({ users });
    assert.equal((await rig.inject(HALT)).status, 200);
    await rig.until(async () => (await rig.as("alice").getTradingStatus()).halted);
    assert.deepEqual(rig.audit.stages, ["intent", "applied"]);
    await rig.close();
  });

  test("a late reply: 504, and the record says later that the halt was applied", async () => {
    const rig = await startTestRig({ users });
    rig.faults.add({ operation: "haltTrading", kind: "late" });
    const halting = rig.inject(HALT);
    await rig.until(() => rig.received("haltTrading").length === 1);
    rig.clock.advance(10_000);
    const response = await halting;
    assert.equal(response.status, 504);
    assert.match(response.json().message, /did not respond within 10 seconds/);
    await rig.until(() => rig.audit.stages.includes("applied late"));
    assert.deepEqual(rig.audit.stages, ["intent", "unknown", "applied late"]);
    await rig.close();
  });

  test("without the permission nothing is sent", async () => {
    const rig = await startTestRig({ users: { viewer: { password: "look", permissions: [] } } });
    assert.equal((await rig.inject({ ...HALT, as: "viewer" })).status, 403);
    assert.deepEqual(rig.received(), []);
    await rig.close();
  });
}
