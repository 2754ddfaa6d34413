import { describe, expect, it } from "vitest";
import { readText, UPDATES, writeText } from "../docs/bus-files.ts";
import { withTables } from "./section.ts";
import { HOOKS } from "./swagger-typescript-api.ts";

const FILE = "docs/reference/openapi.md";

describe("docs/reference/openapi.md on generators", () => {
  it("says how each is run, how it shows answers and what it cannot do (UPDATE_DOCS=1 rewrites the tables)", () => {
    const expected = withTables(readText(FILE));
    if (UPDATES) writeText(FILE, expected);
    expect(readText(FILE)).toBe(expected);
  });

  it("shows the hook that the tests use", () => {
    expect(readText(FILE)).toContain(HOOKS);
  });
});
