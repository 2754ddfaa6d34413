// #region imports
import { loadInstallation, SimulatedEngine } from "trading-admin-api/engine";
import { simulate } from "trading-admin-api/testing";
import { expect, test } from "vitest";

// #endregion

// #region proof
const installation = await loadInstallation("examples/demo/installation.yaml");

test("my engine keeps the promises of the API whatever happens around it", async () => {
  const { failure } = await simulate({
    seed: 1, // a fresh one in each run finds more; a failure tells its own
    histories: 20,
    engine: (clock) => new SimulatedEngine(installation, { clock }), // yours: made anew for each start of it
  });
  expect(failure && `${failure.problems.join("\n")}\n${failure.history}\nseed ${failure.seed}`).toBeUndefined();
});
// #endregion
