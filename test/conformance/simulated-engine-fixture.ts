import { serveEngine } from "../../src/engine/serve.ts";
import { loadInstallation } from "../../src/engine/simulated/installation.ts";
import { SimulatedEngine } from "../../src/engine/simulated/simulated-engine.ts";
import { sampleInstallation } from "../../src/files/package-files.ts";
import type { EngineFixture } from "../../src/testing/conformance/engine-fixture.ts";
import type { TransportFixture } from "../../src/testing/conformance/transport-bench.ts";
import { until } from "../support/until.ts";

/** A simulated engine of its own at the far end of a transport; nothing trades. */
export async function openSimulatedEngine({ transport, bus, close }: TransportFixture): Promise<EngineFixture> {
  await serveEngine(new SimulatedEngine(await loadInstallation(sampleInstallation())), bus);
  await transport.start();
  await until(() => transport.state === "up", "the link is up");
  return { transport, close };
}
