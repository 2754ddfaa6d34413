import { describe, expect, it } from "vitest";
import { readText, UPDATES, writeText } from "./bus-files.ts";
import { PAGES } from "./pages.ts";
import { programsOf, withSnippets } from "./snippet-regions.ts";

/** Pages whose programs another test compares with the examples, or compiles; and what tells of older versions. */
const OTHERS = [
  "CHANGELOG.md",
  "docs/embed/policy.md",
  "docs/embed/users.md",
  "docs/reference/operations.md",
  "docs/test/rig.md",
];

describe("code in the documents", () => {
  it.each(PAGES)("%s shows its files unchanged (UPDATE_DOCS=1 rewrites the blocks)", (page) => {
    const expected = withSnippets(readText(page));
    if (UPDATES && expected !== readText(page)) writeText(page, expected);
    expect(readText(page)).toBe(expected);
  });

  it.each(PAGES.filter((page) => !OTHERS.includes(page)))("%s has no program that comes from no file", (page) => {
    const { all, marked } = programsOf(readText(page));
    expect({ unmarked: all - marked }).toEqual({ unmarked: 0 });
  });

  it.each([...PAGES, "src/http/node.ts", "src/http/guard/guard-server.ts", "src/auth/simple.ts"])(
    "%s has no server listen beyond this machine, where passwords would go in plain text",
    (page) => {
      const calls = readText(page).match(/\.listen\((?!bus\b|handler\b)[^)]+\)/g) ?? [];
      expect(calls.filter((call) => !call.includes('"127.0.0.1"'))).toEqual([]);
    },
  );

  it("a program without a marker is found, and so is a region that does not exist", () => {
    expect(programsOf("```ts\nconst a = 1;\n```\n")).toEqual({ all: 1, marked: 0 });
    const page = "<!-- snippet: package.json#nothing -->\n```json\n```\n";
    expect(() => withSnippets(page)).toThrow('package.json has no region "nothing"');
  });
});
