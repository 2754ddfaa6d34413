import { describe, it } from "vitest";
import { transportConformance } from "../../src/testing/conformance/kits.ts";
import { openInProcess } from "./in-process-fixture.ts";

describe("the in-process bus passes the conformance kit for transports", () => {
  for (const { name, run } of transportConformance(() => openInProcess())) it(name, run, 60_000);
});
