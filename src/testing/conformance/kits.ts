import {
  FLAG,
  functionLike,
  ifGiven,
  listLike,
  methodsOf,
  optionsOf,
  requireArgument,
  SOME_MS,
} from "../../core/options.ts";
import { faultsIn } from "../../core/validation/conformity.ts";
import { whereApplicable } from "./applicable.ts";
import { type AuditCase, type AuditFixture, auditCases } from "./audit-cases.ts";
import { cleaningUp, describedOperations, type EngineCase, EngineClient } from "./engine-client.ts";
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
import { knownEngine } from "./known-engine.ts";
import { Offer } from "./offer.ts";
import { WaitLimit } from "./time-limit.ts";
import type { TransportConformanceOptions, TransportFixture } from "./transport-bench.ts";
import { benchesOf } from "./transport-case.ts";
import { limitCases } from "./transport-limit-cases.ts";
import { lossCases } from "./transport-loss-cases.ts";
import { orderCases } from "./transport-order-cases.ts";
import { replyCases } from "./transport-reply-cases.ts";

/** One case of a conformance kit, for any test runner. */
export interface ConformanceCase {
  /** The requirement, as a sentence. */
  readonly name: string;
  /**
   * Resolves where it holds. Resolves with a reason where the case is not applicable, as the engine or its landmarks lack what it is about;
   * a runner skips it then. Rejects with an error that says what was expected and what came. May take up to a minute.
   */
  run(): Promise<string | undefined>;
}

const DEFAULT_TIMEOUT_MS = 10_000;

const OPEN = "async () => ({ transport, close })";
const TRANSPORT = methodsOf(["exchange"], "new WebSocketTransport({ url }), started");
const CLOSE = functionLike("() => transport.close()");

const AUDIT_FIXTURE = methodsOf(["start", "close"], "{ start: () => openMySink(), close }");

const checkedOfEngine = optionsOf<EngineConformanceOptions>("engineConformance", {
  operations: ifGiven(listLike('["haltTrading"]')),
  timeoutMs: ifGiven(SOME_MS),
});

const checkedOfTransport = optionsOf<TransportConformanceOptions>("transportConformance", {
  repliesSurviveLoss: ifGiven(FLAG),
  timeoutMs: ifGiven(SOME_MS),
});

const ENGINE_CASES: readonly EngineCase[] = [
  ...tradingCases,
  ...riskCases,
  ...positionCases,
  ...serviceCases,
  ...fixCases,
  // Last: they may leave a session without its connection, which cases about sessions begin with.
  ...contractCases,
];

/**
 * What every engine must guarantee (`docs/engine/conformance.md`), as cases for any test runner: all operations, all refusals,
 * order and deadlines, asked over a transport as a gateway asks. All cases may use one engine, one after the other; it has
 * to be started anew for each run of the kit.
 *
 * @example
 * for (const { name, run } of engineConformance(openFixture)) test(name, run);
 */
export function engineConformance(
  open: () => Promise<EngineFixture>,
  landmarks: EngineLandmarks = DEMO_LANDMARKS,
  options: EngineConformanceOptions = {},
): readonly ConformanceCase[] {
  requireArgument("engineConformance", "open", open, functionLike(OPEN));
  const { operations, timeoutMs = DEFAULT_TIMEOUT_MS } = checkedOfEngine(options);
  const known = knownEngine.safeParse({ ...landmarks, operations });
  if (!known.success)
    throw new TypeError(
      `engineConformance cannot use what is known of the engine: ${faultsIn(known.error, "landmarks").join("; ")}`,
    );
  const timeLimit = new WaitLimit(timeoutMs);
  const offer = new Offer(operations);
  const run = async ({ check }: EngineCase): Promise<void> => {
    const fixture = await open();
    requireArgument("The fixture of engineConformance", "transport", fixture?.transport, TRANSPORT);
    requireArgument("The fixture of engineConformance", "close", fixture.close, CLOSE);
    await cleaningUp(
      async () => {
        const engine = new EngineClient(fixture.transport, offer, timeLimit);
        await offer.learn(() => describedOperations(engine));
        await check(engine, landmarks);
      },
      () => fixture.close(),
    );
  };
  return ENGINE_CASES.map((it) => applicable(it.name, () => run(it)));
}

/**
 * What every `EngineTransport` and the bus at its other end have to hold to (`docs/engine/conformance.md`), as cases for
 * any test runner. Each case opens its own fixtures and closes them. The cases are to be run one after the other.
 *
 * @example
 * for (const { name, run } of transportConformance(openFixture)) test(name, run);
 */
export function transportConformance(
  open: () => Promise<TransportFixture>,
  options: TransportConformanceOptions = {},
): readonly ConformanceCase[] {
  requireArgument("transportConformance", "open", open, functionLike(OPEN));
  const benches = benchesOf(open, checkedOfTransport(options));
  const cases = [...replyCases, ...orderCases, ...lossCases, ...limitCases];
  return cases.map(({ name, run }) => applicable(name, () => run(benches)));
}

/**
 * What an audit sink of a host with `history` must guarantee (`docs/engine/conformance.md`), as cases for any test runner. Each case
 * opens its own fixture and closes it.
 *
 * @example
 * for (const { name, run } of auditConformance(openFixture)) test(name, run);
 */
export function auditConformance(open: () => AuditFixture | Promise<AuditFixture>): readonly ConformanceCase[] {
  requireArgument("auditConformance", "open", open, functionLike("async () => ({ start, close })"));
  const timeLimit = new WaitLimit(DEFAULT_TIMEOUT_MS);
  const run = async ({ check }: AuditCase): Promise<void> => {
    const fixture = await open();
    requireArgument("auditConformance", "fixture", fixture, AUDIT_FIXTURE);
    await cleaningUp(
      () => check(fixture, timeLimit),
      () => fixture.close(),
    );
  };
  return auditCases.map((it) => applicable(it.name, () => run(it)));
}

function applicable(name: string, run: () => Promise<void>): ConformanceCase {
  return {
    name,
    run: async () => {
      const ran = await whereApplicable(run);
      return "notApplicable" in ran ? ran.notApplicable : undefined;
    },
  };
}
