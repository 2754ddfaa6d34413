import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { requirements } from "./requirements.ts";
import { citedIds, coverageFaults } from "./support/coverage.ts";
import { sentencesOf, statementsOf } from "./support/specification.ts";
import { untested } from "./untested.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const SPECIFICATION = readFileSync(join(HERE, "../../docs/specification.md"), "utf8");
const STATEMENTS = statementsOf(SPECIFICATION);
const TESTS = readdirSync(HERE).filter((file) => file.endsWith(".test.ts") && file !== "coverage.test.ts");

const QUOTINGS = [
  ...Object.entries(requirements).map(([id, { section, source }]) => ({ name: id, section, source })),
  ...untested.map(({ section, source, reason }) => ({ name: `untested (${reason})`, section, source })),
];

describe("requirements manifest", () => {
  it("quotes every word of the specification, and nothing else", () => {
    expect(STATEMENTS.length).toBeGreaterThan(150);
    expect(coverageFaults(STATEMENTS, QUOTINGS)).toEqual([]);
  });

  it("has a test for each requirement, and a requirement for each id that a test cites", () => {
    const cited = new Set(TESTS.flatMap((file) => citedIds(readFileSync(join(HERE, file), "utf8"))));
    const ids = new Set(Object.keys(requirements));
    expect({
      withoutTest: [...ids].filter((id) => !cited.has(id)),
      withoutRequirement: [...cited].filter((id) => !ids.has(id)),
    }).toEqual({ withoutTest: [], withoutRequirement: [] });
  });

  it("has ids in capitals and a line about what is proven", () => {
    for (const [id, { behavior }] of Object.entries(requirements)) {
      expect(id).toMatch(/^[A-Z][A-Z0-9]*(-[A-Z0-9]+)*$/);
      expect(behavior).toMatch(/^\S.{9,118}\S$/);
    }
  });
});

describe("the check of the manifest itself", () => {
  const statements = [{ section: "S", text: "Halts are recorded; resumes are free." }];
  const faultsOf = (...source: string[]) => coverageFaults(statements, [{ name: "A", section: "S", source }]);

  it("names what nobody quotes", () => {
    expect(coverageFaults(statements, [])).toEqual([
      'not quoted: "Halts are recorded resumes are free" of: Halts are recorded; resumes are free.',
    ]);
    expect(faultsOf("Halts are recorded;")).toEqual([
      'not quoted: "resumes are free" of: Halts are recorded; resumes are free.',
    ]);
    expect(faultsOf("Halts are recorded;", "resumes are free.")).toEqual([]);
  });

  it("refuses quotes that are not there, elsewhere, ambiguous or cut within a word", () => {
    const [rest] = coverageFaults(statements, []);
    expect(faultsOf("Halts are free.")).toEqual(['A: "S" does not say: Halts are free.', rest]);
    expect(faultsOf("Halts are recorded; resumes are fre")[0]).toContain("does not say");
    expect(coverageFaults(statements, [{ name: "A", section: "T", source: ["Halts"] }])[0]).toContain("does not say");
    const twice = [...statements, { section: "S", text: "Halts are recorded; twice." }];
    expect(coverageFaults(twice, [{ name: "A", section: "S", source: ["Halts are recorded;"] }])[0]).toBe(
      'A: more than one statement of "S" says: Halts are recorded;',
    );
  });

  it("finds citations over line ends", () => {
    expect(citedIds('verifies("A-1", x);\n verifiesHttp(\n "B-2",\n x); it("C")')).toEqual(["A-1", "B-2"]);
  });
});

describe("the statements of a document", () => {
  it("are sentences, items and rows, but no headings and no headers of tables", () => {
    const document =
      "# T\n\nOne. Two\nlines: here.\n\n## S\n1. Item one. More.\n- Item\n\n| H | H |\n|---|:-:|\n| a | b. C |\n";
    expect(statementsOf(document)).toEqual([
      { section: "T", text: "One." },
      { section: "T", text: "Two lines: here." },
      { section: "S", text: "Item one." },
      { section: "S", text: "More." },
      { section: "S", text: "Item" },
      { section: "S", text: "| a | b. C |" },
    ]);
  });

  it("do not end within abbreviations, code or numbers", () => {
    expect(sentencesOf("Use keys, e.g. Account, i.e. two. `a. B` is 1.5 long (v. 2 too). `Code` begins one.")).toEqual([
      "Use keys, e.g. Account, i.e. two.",
      "`a. B` is 1.5 long (v. 2 too).",
      "`Code` begins one.",
    ]);
  });
});
