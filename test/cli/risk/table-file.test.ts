import { describe, expect, it } from "vitest";
import { parseCsv, readTable } from "../../../src/cli/risk/table-file.ts";

describe("risk plan: the file of wanted limits", () => {
  it("keeps every digit, quoted or not, and takes null, ~ and unlimited as no limit", () => {
    const text = `
projection: Account/Symbol
rows:
  - conditions: { Account: "*", Symbol: 007 }
    limits: { MaxOrderSize: 123456789012345678901234567890.10, A: null, B: ~, C: unlimited, D: "5" }
`;
    expect(readTable(text, "limits.yaml")).toEqual({
      projection: "Account/Symbol",
      rows: [
        {
          conditions: { Account: "*", Symbol: "007" },
          limits: { MaxOrderSize: "123456789012345678901234567890.10", A: null, B: null, C: null, D: "5" },
        },
      ],
    });
  });

  it.each([
    [";", "projection;Account;Max\r\nAccount;GOLD;0,5\r\n", '";"'],
    ["tab", "projection\tAccount\r\n", "tabs"],
    ["; in quotes", '"projection";"Account"\r\n', '";"'],
    ["; after a line that names it", "sep=;\r\nprojection;Account\r\n", '";"'],
  ])("D-CLI 23: names another separator than a comma: %s", (_, text, separator) => {
    expect(() => readTable(text, "limits.csv")).toThrow(`limits.csv:1: the cells are separated by ${separator}`);
  });

  it.each([
    ["limits.csv", "projection,Account,MaxOrderSize\r\n", 1],
    ["limits.yaml", "projection: Account\nrows: []\n", 2],
    ["limits.json", '{"projection": "", "rows": []}', 1],
  ])("refuses %s without a row, which would have all rows deleted", (file, text, line) => {
    expect(() => readTable(text, file)).toThrow(`${file}:${line}: rows: must have a row`);
  });

  it("names the file in which a quote is not closed", () => {
    expect(() => readTable('projection,Account\r\nAccount,"GOLD\r\n', "limits.csv")).toThrow(
      "limits.csv: line 2: a quote",
    );
  });

  it("takes an empty cell of CSV as a limit that the row does not name", () => {
    const text = 'projection,Account,Max,Other\r\nAccount,"a, ""b""",5,\r\nAccount,*,unlimited,7\r\n';
    expect(readTable(text, "limits.CSV")).toEqual({
      projection: "Account",
      rows: [
        { conditions: { Account: 'a, "b"' }, limits: { Max: "5" } },
        { conditions: { Account: "*" }, limits: { Max: null, Other: "7" } },
      ],
    });
  });

  it.each([
    ["broken YAML", "a.yaml", "projection: [\n", /^a\.yaml:\d: /],
    [
      "lists in lists without end",
      "a.json",
      `\n${"[".repeat(200_000)}`,
      /^a\.json:2: nested more than 100 levels deep$/,
    ],
    ["dashes without end", "a.yaml", "- ".repeat(200_000), /^a\.yaml:1: nested more than 100 levels deep$/],
    ["two documents", "a.yaml", "projection: ''\n---\nrows: []\n", /^a\.yaml:2: there is more than one document/],
    ["a key given twice", "a.yaml", "projection: ''\nprojection: ''\nrows: []\n", /^a\.yaml:2: /],
    ["a mistyped key", "a.yaml", "projection: ''\nrow: []\n", /row/],
    [
      "a limit that is not a decimal",
      "a.yaml",
      "projection: ''\nrows:\n- limits: {Max: 1e3}\n",
      /^a\.yaml:3: rows\.limits\.Max: must be a decimal/,
    ],
    [
      "a missing key",
      "a.yaml",
      "projection: Account\nrows:\n\n- limits: {Max: 1}\n",
      /^a\.yaml:4: rows: conditions lack the key Account/,
    ],
    [
      "a foreign key",
      "a.yaml",
      "projection: ''\nrows:\n- conditions: {Trader: x}\n  limits: {}\n",
      /Trader in the conditions is not a key of the projection ""/,
    ],
    [
      "a row given twice",
      "a.yaml",
      "projection: ''\nrows:\n- limits: {}\n- limits: {}\n",
      /^a\.yaml:4: rows: the row \(root\) is there twice/,
    ],
    ["another CSV file", "a.csv", "name,size\nx,1\n", /^a\.csv:1: the first column has to be "projection"/],
    [
      "rows of two tables",
      "a.csv",
      "projection,Account,Max\nAccount,x,1\nTrader,x,1\n",
      /^a\.csv:3: must have 3 columns/,
    ],
    [
      "a CSV cell that is not a decimal",
      "a.csv",
      "projection,Account,Max\n\nAccount,x,many\n",
      /^a\.csv:3: rows\.limits\.Max: must be/,
    ],
    ["an open quote", "a.csv", 'projection,Account,Max\nAccount,"x,1\n', /line 2: a quote/],
  ])("is refused with the line of the fault: %s", (_, file, text, message) => {
    expect(() => readTable(text, file)).toThrow(message);
  });
});

describe("CSV as RFC 4180 has it", () => {
  it.each([
    ["", []],
    ["a", [["a"]]],
    ["a,", [["a", ""]]],
    [
      "\uFEFFa,b\r\n\r\nc,d",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    ['"x\ny",""\n', [["x\ny", ""]]],
  ])("is read: %j", (text, cells) => {
    expect(parseCsv(text).map((row) => row.cells)).toEqual(cells);
  });
});
