import { expect } from "vitest";
import { operationNames } from "../../src/core/operations/table.ts";
import type { EngineConformanceOptions } from "../../src/testing/conformance/engine-fixture.ts";
import type { ConformanceCase } from "../../src/testing/conformance/kits.ts";

/** Of an engine that has all operations. */
export const ALL: EngineConformanceOptions = { operations: operationNames };

/** Runs a case that has to be applicable, and to pass. */
export async function passes({ run }: ConformanceCase): Promise<void> {
  expect(await run(), "why the case is not applicable").toBeUndefined();
}
