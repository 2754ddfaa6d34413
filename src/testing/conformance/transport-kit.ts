import type { ConformanceCase } from "./case.ts";
import { benchesOf } from "./transport-case.ts";
import type { TransportConformanceOptions, TransportFixture } from "./transport-fixture.ts";
import { limitCases } from "./transport-limit-cases.ts";
import { lossCases } from "./transport-loss-cases.ts";
import { orderCases } from "./transport-order-cases.ts";
import { replyCases } from "./transport-reply-cases.ts";

/**
 * What every `EngineTransport` and the bus at its other end have to hold to (`docs/engine/conformance.md`), as cases for
 * any test runner. Each case opens fixtures of its own and closes them. The cases are to be run one after the other.
 *
 * @example
 * for (const { name, run } of transportConformance(openFixture)) test(name, run);
 */
export function transportConformance(
  open: () => Promise<TransportFixture>,
  options: TransportConformanceOptions = {},
): readonly ConformanceCase[] {
  const benches = benchesOf(open, options);
  const cases = [...replyCases, ...orderCases, ...lossCases, ...limitCases];
  return cases.map(({ name, run }) => ({ name, run: () => run(benches) }));
}
