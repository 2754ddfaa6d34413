import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { errorsReference } from "./errors-reference.ts";

const FILE = new URL("../../docs/reference/errors.md", import.meta.url);

it("docs/reference/errors.md says what the error table says", () => {
  if (process.env.UPDATE_DOCS === "1") writeFileSync(FILE, errorsReference());
  expect(readFileSync(FILE, "utf8")).toBe(errorsReference());
});
