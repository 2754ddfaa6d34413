import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { factsSource, operationFacts } from "./facts-table.ts";

const FILE = new URL("../../src/cli/operations/facts.ts", import.meta.url);

if (process.env.UPDATE_DOCS === "1") writeFileSync(FILE, factsSource());
const { OPERATION_FACTS } = await import("../../src/cli/operations/facts.ts");

it("pin: what the command line knows of the operations is what the operation table says", () => {
  expect(OPERATION_FACTS).toEqual(operationFacts());
  expect(readFileSync(FILE, "utf8")).toBe(factsSource());
});
