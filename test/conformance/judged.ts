import { type BusMethod, type BusOutput, busMethods, type OperationName } from "../../src/core/operations/table.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { serveEngine } from "../../src/engine/serve.ts";
import { loadInstallation } from "../../src/engine/simulated/installation.ts";
import { SimulatedEngine } from "../../src/engine/simulated/simulated-engine.ts";
import { sampleInstallation } from "../../src/files/package-files.ts";
import type { EngineConformanceOptions, EngineLandmarks } from "../../src/testing/conformance/engine-fixture.ts";
import { engineConformance } from "../../src/testing/conformance/kits.ts";
import { InProcessBus } from "../../transports/in-process.ts";

const installation = await loadInstallation(sampleInstallation());

/** What happened to the cases of the kit, by their names. */
export interface Judged {
  readonly passed: readonly string[];
  /** Reasons of the cases that are not applicable. */
  readonly notApplicable: Readonly<Record<string, string>>;
  /** Messages of those that failed. */
  readonly failed: Readonly<Record<string, string>>;
}

/** A simulated engine, or a kind of it; nothing trades. */
export function simulated(Kind: typeof SimulatedEngine = SimulatedEngine): SimulatedEngine {
  return new Kind(installation);
}

/** The part of an engine with these operations; of the others it knows nothing, and it describes itself so. */
export function partOf(engine: SimulatedEngine, has: (name: BusMethod) => boolean): Engine {
  const description = (): BusOutput<"describeEngine"> => ({
    ...engine.describeEngine(),
    operations: busMethods.filter(has),
  });
  return new Proxy(engine as Engine, {
    get: (target, name) => {
      if (!has(name as BusMethod)) return undefined;
      return name === "describeEngine" ? description : target[name as OperationName]?.bind(target as never);
    },
  });
}

/** Runs all cases of the kit on one engine within the process. */
export async function judge(
  engine: Engine,
  landmarks: EngineLandmarks,
  options: EngineConformanceOptions = {},
): Promise<Judged> {
  const cases = engineConformance(
    async () => {
      const transport = new InProcessBus();
      await serveEngine(engine, transport);
      return { transport, close: () => transport.close() };
    },
    landmarks,
    { timeoutMs: 2_000, ...options },
  );
  const judged = {
    passed: [] as string[],
    notApplicable: {} as Record<string, string>,
    failed: {} as Record<string, string>,
  };
  for (const { name, run } of cases) {
    try {
      const reason = await run();
      if (reason === undefined) judged.passed.push(name);
      else judged.notApplicable[name] = reason;
    } catch (error) {
      judged.failed[name] = (error as Error).message;
    }
  }
  return judged;
}
