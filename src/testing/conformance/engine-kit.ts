import type { ConformanceCase } from "./case.ts";
import type { EngineCase } from "./engine-case.ts";
import { EngineClient } from "./engine-client.ts";
import { contractCases } from "./engine-contract-cases.ts";
import { fixCases } from "./engine-fix-cases.ts";
import { DEMO_LANDMARKS, type EngineFixture, type EngineLandmarks } from "./engine-fixture.ts";
import { positionCases } from "./engine-position-cases.ts";
import { riskCases } from "./engine-risk-cases.ts";
import { serviceCases } from "./engine-service-cases.ts";
import { tradingCases } from "./engine-trading-cases.ts";

/**
 * What every engine has to hold to (`docs/conformance.md`), as cases for any test runner: all operations, all refusals,
 * order and deadlines, asked over a transport as a gateway asks. All cases may use one engine, one after the other; it has
 * to be started anew for each run of the kit.
 *
 * @example
 * for (const { name, run } of engineConformance(openFixture)) test(name, run);
 */
export function engineConformance(
  open: () => Promise<EngineFixture>,
  landmarks: EngineLandmarks = DEMO_LANDMARKS,
): readonly ConformanceCase[] {
  const cases = [tradingCases, riskCases, positionCases, serviceCases, contractCases, fixCases];
  return cases.flatMap((casesOf) => casesOf(landmarks)).map((one) => ({ name: one.name, run: () => runOn(open, one) }));
}

async function runOn(open: () => Promise<EngineFixture>, { check }: EngineCase): Promise<void> {
  const fixture = await open();
  try {
    await check(new EngineClient(fixture.transport));
  } finally {
    await fixture.close();
  }
}
