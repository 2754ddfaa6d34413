import { describe, expect, it } from "vitest";
import { durationMs } from "../../src/cli/duration.ts";
import { nodesThatHold } from "../../src/cli/operations/path.ts";
import { SHORT, UNCUT } from "../../src/cli/output/columns.ts";
import { tableOf } from "../../src/cli/output/table.ts";
import { suggestion } from "../../src/cli/suggestion.ts";
import { differsByFactor, exactSum } from "../../src/core/values/decimal-text.ts";

const COLUMNS = [
  { name: "account", kind: "text" },
  { name: "size", kind: "decimal", total: "12345678901234567890.05" },
  { name: "realizedPnL", kind: "decimal", total: "-" },
] as const;

describe("tables", () => {
  const rows = [
    { account: "GOLD", size: "12345678901234567890.1", realizedPnL: null },
    { account: "SILVER", size: "-0.05", realizedPnL: "1.50" },
  ];

  it("align numbers to the right with every digit, and have totals below", () => {
    expect(tableOf(COLUMNS, rows, 80).lines).toEqual([
      "ACCOUNT                     SIZE  REALIZED PNL",
      "GOLD      12345678901234567890.1             -",
      "SILVER                     -0.05          1.50",
      "TOTAL    12345678901234567890.05             -",
    ]);
  });

  it("leave out what does not fit from the end, and name it; nothing is wider than it may be", () => {
    const { lines, leftOut } = tableOf(COLUMNS, rows, 40);
    expect(leftOut).toEqual(["REALIZED PNL"]);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40);
    const narrow = tableOf(COLUMNS.slice(0, 1), [{ account: "A".repeat(90) }], 40);
    expect(narrow).toMatchObject({ leftOut: [], cut: true });
    expect(narrow.lines[1]).toBe(`${"A".repeat(39)}…`);
  });

  it("D-CLI 22: one long name is cut and pushes nothing out; numbers are never cut", () => {
    const { lines, leftOut, cut } = tableOf(COLUMNS, [{ account: "A".repeat(300), size: "5" }, ...rows], 80);
    expect({ leftOut, cut }).toEqual({ leftOut: [], cut: true });
    expect(lines[1]).toMatch(/^A{15,}… +5 +-$/);
    expect(lines[2]).toContain("12345678901234567890.1");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it("D-CLI 22: columns that matter are kept, the longest cells cut to the same width; others go first", () => {
    const columns = [
      { name: "effect", kind: "text", keep: UNCUT },
      { name: "row", kind: "text", keep: SHORT },
      { name: "limit", kind: "text", keep: SHORT },
      { name: "note", kind: "text" },
    ] as const;
    const long = { effect: "tighter", row: "r".repeat(60), limit: "l".repeat(60), note: "n" };
    const { lines, leftOut } = tableOf(columns, [long], 30);
    expect(leftOut).toEqual(["NOTE"]);
    expect(lines[1]).toBe(`tighter  ${"r".repeat(8)}…  ${"l".repeat(8)}…`);
  });

  it.each([10, 20, 40, 80, 200])("D-CLI 22: no table is wider than %i characters", (width) => {
    const columns = ["a", "b", "c", "d"].map(
      (name, at) => ({ name, kind: "text", keep: at % 2 ? SHORT : UNCUT }) as const,
    );
    const row = { a: "x".repeat(30), b: "y".repeat(300), c: "z", d: "\u202e\u200b".repeat(20) };
    const { lines } = tableOf(columns, [row, { a: null }], width);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
  });

  it("do not let data from elsewhere steer the terminal", () => {
    const { lines } = tableOf([{ name: "reason", kind: "text" }], [{ reason: "\x1b[2Jgone" }], 80);
    expect(lines[1]).toBe("\\u001b[2Jgone");
  });
});

describe("decimals", () => {
  it.each([
    [[], "0"],
    [["0.1", "0.2"], "0.3"],
    [["1", "-1.000"], "0"],
    [["-0.5", null, "0.25", undefined], "-0.25"],
    [["9".repeat(64), "1"], `1${"0".repeat(64)}`],
  ])("are added exactly: the sum of %j is %s", (values, sum) => expect(exactSum(values)).toBe(sum));

  it.each([
    ["0.07", "0.7", true],
    ["100", "999.99", false],
    ["-5", "50", true],
    ["0", "1", true],
    ["0", "0.0", false],
  ])("are compared: %s and %s differ by a factor of 10: %s", (a, b, does) =>
    expect(differsByFactor(a, b, 10n)).toBe(does),
  );
});

describe("words", () => {
  it("name the nodes that hold a path: all with some of its segments, the root first", () => {
    expect(nodesThatHold("Source[A]/Account[B]")).toEqual(["", "Source[A]", "Account[B]"]);
    expect(nodesThatHold("Source[A]/Account[B]/Symbol[C/D]")).toHaveLength(7);
    expect(nodesThatHold("Desk[X]/Account[Y]")).toEqual(["", "Desk[X]", "Account[Y]"]);
  });

  it.each([
    ["NASDQ1", '; did you mean "NASDAQ1"?'],
    ["halt", '; did you mean "haltTrading"?'],
    ["zzz", "; known: NASDAQ1, haltTrading"],
  ])("suggest near names: %s", (typed, words) => expect(suggestion(typed, ["NASDAQ1", "haltTrading"])).toBe(words));

  it("express durations", () => {
    expect(["500ms", "5s", "5", "1.5m", "1h"].map((text) => durationMs("--wait", text))).toEqual([
      500, 5_000, 5_000, 90_000, 3_600_000,
    ]);
    expect(() => durationMs("--wait", "5 apples")).toThrow('--wait: "5 apples" is not a valid duration');
  });
});
