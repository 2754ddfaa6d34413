import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { loadInstallation } from "../../src/engine/simulated/installation.ts";
import { sampleInstallation } from "../../src/files/package-files.ts";
import { ROOT } from "../package/build.ts";
import { exampleInstallation } from "./bus-example-installation.ts";
import { readJson, UPDATES, writeJson } from "./bus-files.ts";

const FILE = "examples/python-engine/installation.json";

describe("the engine in another language has the installation of the demo", () => {
  it("examples/python-engine/installation.json says what the demo says (UPDATE_DOCS=1 rewrites it)", async () => {
    const facts = exampleInstallation(await loadInstallation(sampleInstallation()));
    if (UPDATES) writeJson(new Map([[FILE, facts]]));
    expect(readJson(FILE)).toEqual(facts);
  });

  it("and examples/python-engine/landmarks.yaml the landmarks of the demo", () => {
    const landmarks = (example: string): unknown =>
      parse(readFileSync(join(ROOT, `examples/${example}/landmarks.yaml`), "utf8"));
    expect(landmarks("python-engine")).toEqual(landmarks("demo"));
  });
});
