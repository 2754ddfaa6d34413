import { describe, expect, it } from "vitest";
import { loadInstallation } from "../../src/engine/simulated/installation.ts";
import { sampleInstallation } from "../../src/files/package-files.ts";
import { exampleInstallation } from "./bus-example-installation.ts";
import { readJson, UPDATES, writeJson } from "./bus-files.ts";

const FILE = "examples/python-engine/installation.json";

describe("the engine in another language has the installation of the demo", () => {
  it("examples/python-engine/installation.json says what the demo says (UPDATE_DOCS=1 rewrites it)", async () => {
    const facts = exampleInstallation(await loadInstallation(sampleInstallation()));
    if (UPDATES) writeJson(new Map([[FILE, facts]]));
    expect(readJson(FILE)).toEqual(facts);
  });
});
