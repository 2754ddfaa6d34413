import { describe, expect, it } from "vitest";
import { readText, UPDATES, writeText } from "./bus-files.ts";
import { operationsReference, operationTable } from "./operations-reference.ts";

const FILE = "docs/reference/operations.md";

/** The first page with its table of operations as it has to be. */
function withOperationTable(readme: string): string {
  const table = operationTable("docs/reference/operations.md");
  return readme.replace(/(<!-- operations: generated -->\n\n).*?(\n\n<!-- end of operations -->)/s, (_, from, to) =>
    [from, table, to].join(""),
  );
}

describe("docs/reference/operations.md", () => {
  it("says what the OpenAPI document says, and so does the table of README.md (UPDATE_DOCS=1 rewrites them)", () => {
    if (UPDATES) {
      writeText(FILE, operationsReference());
      writeText("README.md", withOperationTable(readText("README.md")));
    }
    expect(readText(FILE)).toBe(operationsReference());
    expect(readText("README.md")).toBe(withOperationTable(readText("README.md")));
    expect(readText("README.md")).toContain(operationTable("docs/reference/operations.md"));
  });
});
