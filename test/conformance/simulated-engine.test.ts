import { afterAll, describe, expect, it } from "vitest";
import { operationNames } from "../../src/core/operations/table.ts";
import { serveEngine } from "../../src/engine/serve.ts";
import { loadInstallation } from "../../src/engine/simulated/installation.ts";
import { SimulatedEngine } from "../../src/engine/simulated/simulated-engine.ts";
import { sampleInstallation } from "../../src/files/package-files.ts";
import { DEMO_LANDMARKS } from "../../src/testing/conformance/engine-fixture.ts";
import { engineConformance } from "../../src/testing/conformance/kits.ts";
import { EngineGate } from "../../src/testing/engine-gate.ts";
import { InProcessBus } from "../../transports/in-process.ts";
import { ALL, passes } from "./passes.ts";

const installation = await loadInstallation(sampleInstallation());

describe("the simulated engine passes the conformance kit for engines", () => {
  const asked = new Set<string>();

  const cases = engineConformance(
    async () => {
      const transport = new InProcessBus();
      const gate = new EngineGate(transport);
      await serveEngine(new SimulatedEngine(installation), gate);
      const close = (): Promise<void> => {
        for (const { method } of gate.seen) asked.add(method);
        return transport.close();
      };
      return { transport, close };
    },
    DEMO_LANDMARKS,
    ALL,
  );

  for (const one of cases) it(one.name, () => passes(one));

  it("the kit asks for every operation", () => {
    expect([...operationNames].filter((name) => !asked.has(name))).toEqual([]);
  });
});

describe("one simulated engine passes all cases one after the other while orders flow", () => {
  const engine = new SimulatedEngine({ ...installation, "tick-interval": 5 });
  engine.start();
  afterAll(() => engine.stop());

  const cases = engineConformance(
    async () => {
      const transport = new InProcessBus();
      await serveEngine(engine, transport);
      return { transport, close: () => transport.close() };
    },
    DEMO_LANDMARKS,
    ALL,
  );

  for (const one of cases) it(one.name, () => passes(one));
});
