// #region imports
import { startTestRig } from "trading-admin-api/testing";
import { expect, test } from "vitest";

// #endregion

// #region proof
test("a halt is accepted immediately and applied a moment later", async () => {
  const { as, clock, audit, close } = await startTestRig();
  const alice = as("alice"); // with every permission, unless the option `users` says otherwise

  await alice.haltTrading({ projectionPath: "Account[GOLD]", reason: "drill" });
  expect((await alice.getTradingStatus({ projectionPath: "Account[GOLD]" })).halted).toBe(false);
  clock.advance(1_000); // the clock is frozen until the test moves it
  expect((await alice.getTradingStatus({ projectionPath: "Account[GOLD]" })).halted).toBe(true);
  expect(audit.stages).toEqual(["intent", "applied"]);

  await close();
});
// #endregion
