import { describe, expect, it } from "vitest";
import { readText, UPDATES, writeText } from "./bus-files.ts";
import { operationsReference } from "./operations-reference.ts";

const FILE = "docs/reference/operations.md";

describe("docs/reference/operations.md", () => {
  it("says what the OpenAPI document says (UPDATE_DOCS=1 rewrites it)", () => {
    if (UPDATES) writeText(FILE, operationsReference());
    expect(readText(FILE)).toBe(operationsReference());
  });
});
