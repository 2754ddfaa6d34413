import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { markdownOf } from "../../src/cli/drill/evidence.ts";
import { cellText, csvText } from "../../src/cli/output/csv.ts";
import { jsonLine, jsonText, yamlText } from "../../src/cli/output/format.ts";
import { rowsOf } from "../../src/cli/risk/export.ts";
import { parseCsv, readTable } from "../../src/cli/risk/table-file.ts";
import { cases } from "../support/extent.ts";

const COLUMNS = [
  { name: "name", kind: "text" },
  { name: "size", kind: "decimal" },
] as const;

/** Characters that something acts on in place of showing them, and what looks like their escapes. */
const odd = fc.string({
  unit: fc.constantFrom(
    ..."=+-@'\t\r\n\x1b\x7f\x85\u061c\u202e\u2066\u200b\ufeff\u2028\\u00a0\"1,; ",
    "\\u202e",
    "\u{e0041}",
  ),
  maxLength: 8,
});

/** Nothing that a terminal or an editor acts on, the ends of lines apart. */
function expectShown(text: string): void {
  expect(text).not.toMatch(/(?![\r\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
}

/** The cells of a line of CSV as a sheet has them that takes semicolons for the ends of cells, and commas for text. */
function cellsBySemicolon(line: string): string[] {
  return line.split(";").map((cell) => cell.replace(/^"*/, ""));
}

describe("D-CLI 26: what others named neither steers a terminal nor is a formula of a sheet", () => {
  it.each([
    ["=HYPERLINK(1)", "'=HYPERLINK(1)"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", "'\\u0009=1"],
    ["\r=1", "'\\u000d=1"],
    ["'=1", "''=1"],
    ["O'Neil", "O'Neil"],
    ["'quoted'", "'quoted'"],
    ["a=b", "a=b"],
    ["A\u202eB\u200b", "A\\u202eB\\u200b"],
    ["\\u202e", "\\u005cu202e"],
    ['=1,"2"', '"\'=1,""2"""'],
    // Where a sheet takes semicolons for the ends of cells, another cell begins behind one.
    ["x;=cmd|' /C calc'!A0;y", "x\\u003b=cmd|' /C calc'!A0;y"],
    ["a;+1;-1;@A;b", "a\\u003b+1\\u003b-1\\u003b@A;b"],
    ['x;"=1', '"x\\u003b""=1"'],
    ["feed is stale; see #12", "feed is stale; see #12"],
  ])("the cell of %j is %s", (name, cell) => {
    expect(csvText(COLUMNS, [{ name, size: null }])).toBe(`name,size\r\n${cell},\r\n`);
  });

  it("decimals in CSV stay as they are; a text in their column does not, nor a name of a column", () => {
    const rows = ["-0.5", "+1", 5, "-x", "=1"].map((size) => ({ name: "A", size }));
    expect(csvText([{ name: "=name", kind: "text" }, COLUMNS[1]], rows)).toBe(
      "'=name,size\r\n,-0.5\r\n,+1\r\n,5\r\n,'-x\r\n,'=1\r\n",
    );
  });

  it("nor does another cell within a text begin a formula, where semicolons end cells", () => {
    fc.assert(
      fc.property(odd, (name) => {
        const [, line = ""] = csvText(COLUMNS, [{ name: `x${name}`, size: null }]).split("\r\n");
        for (const cell of cellsBySemicolon(line)) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
      }),
      { numRuns: cases(2_000) },
    );
  });

  it("every text is read back from CSV as it was", () => {
    fc.assert(
      fc.property(odd, (name) => {
        const text = csvText(COLUMNS, [{ name: `${name}x`, size: null }]);
        expectShown(text);
        expect(parseCsv(text)[1]?.cells.map(cellText)).toEqual([`${name}x`, ""]);
      }),
      { numRuns: cases(2_000) },
    );
  });

  it("JSON and YAML mean the same with escapes, keys included", async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(odd, odd), async (value) => {
        for (const [text, read] of [
          [jsonText(value), JSON.parse],
          [jsonLine(value), JSON.parse],
          [await yamlText(value), (text: string) => parse(text)],
        ] as const) {
          expectShown(text);
          expect(read(text)).toEqual(value);
        }
      }),
      { numRuns: cases(500) },
    );
  });

  it("no text begins a line in JSON and YAML", async () => {
    const reason = `${"stale-prices".repeat(5)}\nhalted: false\n\n- ok\n`;
    expect((await yamlText({ reason, halted: true })).split("\n")).toEqual([
      `reason: ${JSON.stringify(reason)}`,
      "halted: true",
      "",
    ]);
    expect(jsonText({ reason, halted: true }).split("\n")).toHaveLength(5);
  });

  it("a table of limits goes through a CSV file and back, whatever its keys", () => {
    fc.assert(
      fc.property(fc.uniqueArray(odd, { minLength: 1 }), (names) => {
        const rows = names.map((name) => ({ conditions: { Account: `${name}x` }, limits: { Max: "-5", Min: null } }));
        const table = { projection: "Account", rows };
        const columns = ["projection", "Account", "Max", "Min"].map((name) => ({ name, kind: "text" }) as const);
        expect(readTable(csvText(columns, rowsOf(table)), "limits.csv")).toEqual(table);
      }),
      { numRuns: cases(500) },
    );
  });
});

/** The characters that a reader of Markdown sees of one cell, and how many cells its row has. */
function cellsOfMarkdown(row: string): string[] {
  const cells: string[] = [""];
  for (const [, escaped, end, other] of row.slice(2, -3).matchAll(/\\([!-/:-@[-`{-~])|( \| )|(.)/g)) {
    expect(other ?? "").not.toMatch(/[\\`*_~[<&$|]/);
    if (end) cells.push("");
    else cells[cells.length - 1] += escaped ?? other ?? "";
  }
  return cells;
}

describe("D-CLI 26: evidence in Markdown shows what others wrote as they wrote it", () => {
  const evidence = (reason: string): string =>
    markdownOf({
      drill: "halt and resume of trading",
      result: "passed",
      installation: "london",
      address: "http://127.0.0.1:1",
      user: "desk",
      projectionPath: "",
      reason,
      version: "0",
      before: { projectionPath: "", halted: false, reason },
      steps: [],
      after: null,
    });

  it.each([
    "ok\\| forged cell | <img src=//evil.example/x.png> [click](https://evil.example) **failed**",
    "`code` ~~not~~ _said_ &lt;b&gt; $\\text{passed}$ \\",
  ])("%s", (reason) => {
    const rows = evidence(reason).split(/(?<=\n)/);
    const cells = rows.filter((row) => /^\| (Reason|Before) /.test(row)).map(cellsOfMarkdown);
    expect(cells).toEqual([
      ["Reason", reason],
      ["Before", `not halted (${reason})`],
    ]);
  });

  it("on one line, without controls", () => {
    fc.assert(
      fc.property(odd, (reason) => {
        const text = evidence(reason);
        expectShown(text);
        expect(text.split("\n")).toHaveLength(evidence("").split("\n").length);
      }),
      { numRuns: cases(500) },
    );
  });
});
