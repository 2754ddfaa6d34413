import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { UPDATES, writeText } from "../docs/bus-files.ts";
import { GENERATED, operationFacts, sourceOf } from "./facts-table.ts";

const FILES = (Object.keys(GENERATED) as (keyof typeof GENERATED)[]).map((file) => ({
  file,
  url: new URL(`../../src/cli/operations/${file}`, import.meta.url),
}));

if (UPDATES) for (const { file } of FILES) writeText(`src/cli/operations/${file}`, sourceOf(file));
const { OPERATION_FACTS } = await import("../../src/cli/operations/facts.ts");

it("pin: what the command line knows of the operations is what the operation table says", () => {
  expect(OPERATION_FACTS).toEqual(operationFacts());
  for (const { file, url } of FILES) expect(readFileSync(url, "utf8")).toBe(sourceOf(file));
});
