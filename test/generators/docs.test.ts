import { describe, expect, it } from "vitest";
import { readText, UPDATES, writeText } from "../docs/bus-files.ts";
import { withTables } from "./section.ts";
import { HOOKS } from "./swagger-typescript-api.ts";

const FILE = "docs/reference/openapi.md";

describe("the pages on generators in docs/reference/openapi.md", () => {
  it("say how each is run, how it shows responses and what it cannot do (UPDATE_DOCS=1 rewrites the tables)", () => {
    const expected = withTables(readText(FILE));
    if (UPDATES) writeText(FILE, expected);
    expect(readText(FILE)).toBe(expected);
  });

  it("show the hook that the tests use", () => {
    expect(readText(FILE)).toContain(HOOKS);
  });
});
