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
import { TimeLimit } from "./time-limit.ts";

const DEFAULT_TIMEOUT_MS = 10_000;

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
  { timeoutMs = DEFAULT_TIMEOUT_MS }: EngineConformanceOptions = {},
): readonly ConformanceCase[] {
  const timeLimit = new TimeLimit(timeoutMs);
  const cases = [tradingCases, riskCases, positionCases, serviceCases, contractCases, fixCases];
  return cases
    .flatMap((casesOf) => casesOf(landmarks))
    .map(({ name, check }) => ({ name, run: () => runOn(open, timeLimit, check) }));
}

async function runOn(
  open: () => Promise<EngineFixture>,
  timeLimit: TimeLimit,
  check: EngineCase["check"],
): Promise<void> {
  const fixture = await open();
  await cleaningUp(
    () => check(new EngineClient(fixture.transport, timeLimit)),
    () => fixture.close(),
  );
}
