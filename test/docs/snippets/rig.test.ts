// #region imports
import { type AdminError, principal } from "trading-admin-api";
import { startTestRig } from "trading-admin-api/testing";
import { expect, test } from "vitest";

// #endregion

// #region proof
test("a halt is accepted at once and applied a moment later", async () => {
  const { api, clock, audit, close } = await startTestRig();
  const alice = api.as(principal("alice", ["HALT_RESUME_TRADING"]));

  await alice.haltTrading({ projectionPath: "Account[GOLD]", reason: "drill" });
  expect((await alice.getTradingStatus({ projectionPath: "Account[GOLD]" })).halted).toBe(false);
  clock.advance(1_000); // the clock stands still until the test moves it
  expect((await alice.getTradingStatus({ projectionPath: "Account[GOLD]" })).halted).toBe(true);
  expect(audit.stages).toEqual(["intent", "applied"]);

  await close();
});
// #endregion

// #region late
test("an engine that does not reply gives 504, and its late reply is recorded", async () => {
  const { api, clock, audit, gate, close } = await startTestRig();
  const alice = api.as(principal("alice", ["HALT_RESUME_TRADING"]));

  gate.hold(); // requests wait on their way to the engine
  const halt = alice.haltTrading({ reason: "stale price feed" }).catch((error: AdminError) => error);
  await expect.poll(() => gate.seen.length).toBe(1);
  clock.advance(10_000);
  expect(await halt).toMatchObject({ code: "ENGINE_TIMEOUT", status: 504, outcome: "unknown" });

  const late = new Promise((resolve) => api.on("lateReply", resolve));
  gate.release();
  await late;
  expect(audit.stages).toEqual(["intent", "unknown", "rejected late"]);

  await close();
});
// #endregion
