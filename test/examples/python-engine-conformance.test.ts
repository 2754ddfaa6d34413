import { afterAll, beforeAll, describe, it } from "vitest";
import { engineConformance } from "../../src/testing/conformance/kits.ts";
import { dial } from "./python-engine-gateway.ts";
import { startPythonEngine } from "./python-engine-process.ts";
import type { ServingProcess } from "./serving-process.ts";

let engine: ServingProcess;

// The first run on a machine may have to install a package.
beforeAll(async () => {
  engine = await startPythonEngine();
}, 180_000);

afterAll(async () => {
  await engine?.close();
});

/** One process serves all cases, over a link of its own each. */
const cases = engineConformance(async () => {
  const transport = await dial({ url: engine.url });
  return { transport, close: () => transport.close() };
});

describe("D-PKG 6: an engine in another language passes the conformance kit for engines", () => {
  for (const { name, run } of cases) it(name, run);
});
