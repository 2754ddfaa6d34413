// #region imports
import type { AdminError } from "trading-admin-api";
import { startTestRig } from "trading-admin-api/testing";
import { expect, test } from "vitest";

// #endregion

// #region proof
test("a halt is accepted at once and applied a moment later", async () => {
  const { as, clock, audit, close } = await startTestRig();
  const alice = as("alice"); // with every permission, unless the option `users` says otherwise

  await alice.haltTrading({ projectionPath: "Account[GOLD]", reason: "drill" });
  expect((await alice.getTradingStatus({ projectionPath: "Account[GOLD]" })).halted).toBe(false);
  clock.advance(1_000); // the clock stands still until the test moves it
  expect((await alice.getTradingStatus({ projectionPath: "Account[GOLD]" })).halted).toBe(true);
  expect(audit.stages).toEqual(["intent", "applied"]);

  await close();
});
// #endregion

// #region late
test("an engine that does not reply in time gives 504, and its late reply is recorded", async () => {
  const { as, faults, until, audit, close } = await startTestRig();

  faults.add({ operation: "haltTrading", kind: "late" }); // the engine halts, and says so after the deadline
  const halt = as("alice").haltTrading({ reason: "stale price feed" });
  const answer = halt.catch((error: AdminError) => error);
  await until(() => audit.stages.includes("applied late")); // lets the time of the held clock pass
  expect(await answer).toMatchObject({ code: "ENGINE_TIMEOUT", status: 504, outcome: "unknown" });
  expect(audit.stages).toEqual(["intent", "unknown", "applied late"]);

  await close();
});
// #endregion
