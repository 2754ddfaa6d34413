import { join } from "node:path";
import { expect, it } from "vitest";
import { readLandmarks } from "../../../src/cli/conformance/landmarks.ts";
import { DEMO_LANDMARKS } from "../../../src/testing/conformance/engine-fixture.ts";
import { ROOT } from "../../package/build.ts";

it("examples/demo/landmarks.yaml has the landmarks of the demo, as the kit has them", () => {
  const known = readLandmarks(join(ROOT, "examples/demo/landmarks.yaml"));
  expect(known).toEqual({ landmarks: DEMO_LANDMARKS, operations: undefined });
});

it("without a file nothing is known", () => {
  expect(readLandmarks(undefined)).toEqual({ landmarks: {}, operations: undefined });
});
