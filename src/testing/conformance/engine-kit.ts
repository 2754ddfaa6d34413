import type { ConformanceCase } from "./case.ts";
import { cleaningUp, type EngineCase } from "./engine-case.ts";
import { EngineClient } from "./engine-client.ts";
import { contractCases } from "./engine-contract-cases.ts";
import { fixCases } from "./engine-fix-cases.ts";
import {
  DEMO_LANDMARKS,
  type EngineConformanceOptions,
  type EngineFixture,
  type EngineLandmarks,
} from "./engine-fixture.ts";
import { positionCases } from "./engine-position-cases.ts";
import { riskCases } from "./engine-risk-cases.ts";
import { serviceCases } from "./engine-service-cases.ts";
import { tradingCases } from "./engine-trading-cases.ts";
import { Patience } from "./patience.ts";

const DEFAULT_PATIENCE_MS = 10_000;

/**
 * What every engine has to hold to (`docs/engine/conformance.md`), as cases for any test runner: all operations, all refusals,
 * order and deadlines, asked over a transport as a gateway asks. All cases may use one engine, one after the other; it has
 * to be started anew for each run of the kit.
 *
 * @example
 * for (const { name, run } of engineConformance(openFixture)) test(name, run);
 */
export function engineConformance(
  open: () => Promise<EngineFixture>,
  landmarks: EngineLandmarks = DEMO_LANDMARKS,
  { patienceMs = DEFAULT_PATIENCE_MS }: EngineConformanceOptions = {},
): readonly ConformanceCase[] {
  const patience = new Patience(patienceMs);
  const cases = [tradingCases, riskCases, positionCases, serviceCases, contractCases, fixCases];
  return cases
    .flatMap((casesOf) => casesOf(landmarks))
    .map(({ name, check }) => ({ name, run: () => runOn(open, patience, check) }));
}

async function runOn(
  open: () => Promise<EngineFixture>,
  patience: Patience,
  check: EngineCase["check"],
): Promise<void> {
  const fixture = await open();
  await cleaningUp(
    () => check(new EngineClient(fixture.transport, patience)),
    () => fixture.close(),
  );
}
