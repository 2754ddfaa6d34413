import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { GENERATED, operationFacts, outputKinds, sourceOf } from "./facts-table.ts";

const FILES = (Object.keys(GENERATED) as (keyof typeof GENERATED)[]).map((file) => ({
  file,
  url: new URL(`../../src/cli/operations/${file}`, import.meta.url),
}));

if (process.env.UPDATE_DOCS === "1") for (const { file, url } of FILES) writeFileSync(url, sourceOf(file));
const { OPERATION_FACTS } = await import("../../src/cli/operations/facts.ts");
const { OUTPUT_KINDS } = await import("../../src/cli/operations/output-kinds.ts");

it("pin: what the command line knows of the operations is what the operation table says", () => {
  expect(OPERATION_FACTS).toEqual(operationFacts());
  expect(OUTPUT_KINDS).toEqual(outputKinds());
  for (const { file, url } of FILES) expect(readFileSync(url, "utf8")).toBe(sourceOf(file));
});
