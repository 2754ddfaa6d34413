import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { decisionsOf, idsIn, idsInStrings, proofsIn, textFiles, withProofs } from "./decisions-register.ts";

const REGISTER = new URL("../../docs/decisions.md", import.meta.url);
/** All but this file, whose examples are not citations. */
const FILES = textFiles().filter(({ path }) => path !== "test/docs/decisions.test.ts");
const PROOFS = proofsIn(FILES);

if (process.env.UPDATE_DOCS === "1") writeFileSync(REGISTER, withProofs(register(), PROOFS));

function register(): string {
  return readFileSync(REGISTER, "utf8");
}

/** Places that hold what a pattern finds, for the message of a failing test. */
function placesOf(pattern: RegExp): string[] {
  return FILES.flatMap(({ path, text }) => [...text.matchAll(pattern)].map(([found]) => `${path}: ${found}`));
}

describe("docs/decisions.md is the register of decisions", () => {
  const decisions = decisionsOf(register());
  const ids = new Set(decisions.map(({ id }) => id));

  it("has each id once, ascending within its area, with a statement and a reason", () => {
    expect(decisions.length).toBeGreaterThan(100);
    expect(ids.size).toBe(decisions.length);
    let last = ["", "0"];
    for (const { id, text } of decisions) {
      const [area = "", number = ""] = id.split(" ");
      expect(id).toMatch(/^D-[A-Z]+ \d+$/);
      expect(text, id).toMatch(/^\n\n\S.*\n\n\*Why:\* \S/s);
      if (area === last[0]) expect(Number(number), id).toBeGreaterThan(Number(last[1]));
      last = [area, number];
    }
  });

  it("has every decision that a source, test or document cites", () => {
    const unknown = FILES.flatMap(({ path, text }) =>
      idsIn(text).flatMap((id) => (ids.has(id) ? [] : `${path}: ${id}`)),
    );
    expect(unknown).toEqual([]);
  });

  it("has no decision without a test that cites it in a title, but for those that say why they are not tested", () => {
    const tested = decisions.filter(({ text }) => !text.includes("*Not tested:* "));
    expect(tested.filter(({ id }) => !PROOFS.has(id)).map(({ id }) => id)).toEqual([]);
    expect(decisions.length - tested.length).toBeLessThanOrEqual(5);
  });

  it("names the tests of each decision (UPDATE_DOCS=1 rewrites the list)", () => {
    expect(register()).toBe(withProofs(register(), PROOFS));
  });
});

describe("references lead to something that a reader has", () => {
  it("each decision is cited by its whole id, so that a search for the id finds it", () => {
    expect(placesOf(/\bD-[A-Z]+(?:-\d+| \d+(?:, | and | to )\d+)/g)).toEqual([]);
  });

  it("nothing refers to a numbered issue, a measurement or a model that is not in this repository", () => {
    expect(placesOf(/\bissues? (?:#?\d|["“])|\b(?:domain|models|measurements) \d\.\d/gi)).toEqual([]);
  });
});

describe("the check of the register itself", () => {
  const text = "# D\n\n## A\n\n### D-A 1\n\nOne.\n\n*Why:* x.\n\n## B\n\n### D-B 1\n\nTwo.\n\n*Why:* y.\n";

  it("finds the ids of titles, and none in comments", () => {
    const source = `// D-A 1
      it(\`D-A 2: \${x} of D-A 3\`, () => {});
      const cases = { "D-A 4: y": /* D-A 5 */ 1 };`;
    expect(idsInStrings(source)).toEqual(["D-A 2", "D-A 3", "D-A 4"]);
  });

  it("adds the tests below each decision, and replaces those that were there", () => {
    const once = withProofs(text, new Map([["D-A 1", ["test/a/x.test.ts"]]]));
    expect(once).toContain("*Why:* x.\n\n*Proven by* [a/x](../test/a/x.test.ts)\n\n## B\n\n### D-B 1");
    expect(withProofs(once, new Map())).toBe(text);
    expect(decisionsOf(text)).toEqual([
      { id: "D-A 1", text: "\n\nOne.\n\n*Why:* x.\n\n## B\n\n" },
      { id: "D-B 1", text: "\n\nTwo.\n\n*Why:* y.\n" },
    ]);
  });
});
