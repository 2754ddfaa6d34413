import headless from "@xterm/headless";
import { describe, expect, it } from "vitest";
import { durationMs } from "../../src/cli/duration.ts";
import { nodesThatHold } from "../../src/cli/operations/path.ts";
import { cellsOf, fitted } from "../../src/cli/output/cells.ts";
import { SHORT, UNCUT } from "../../src/cli/output/columns.ts";
import { tableOf } from "../../src/cli/output/table.ts";
import { screenOf } from "../../src/cli/top/screen.ts";
import { NOTHING_READ, type State } from "../../src/cli/top/state.ts";
import { FIRST_VIEW } from "../../src/cli/top/view.ts";
import { differsByFactor, exactSum } from "../../src/core/values/decimal-text.ts";
import { didYouMeanOneOf } from "../../src/core/values/near-names.ts";

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

/** What a terminal shows of lines that are written to it, and how many it had to scroll. */
async function shownBy(
  lines: readonly string[],
  cols: number,
  rows: number,
): Promise<{ lines: string[]; above: number }> {
  const terminal = new headless.Terminal({ cols, rows, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(lines.join("\r\n"), resolve));
  const { active } = terminal.buffer;
  const shown = Array.from({ length: rows }, (_, row) => active.getLine(active.viewportY + row)?.translateToString());
  return { lines: shown.map((line) => line ?? ""), above: active.baseY };
}

describe("D-CLI 22: widths are cells of the terminal, of which wide characters take two", () => {
  const REASON =
    "相場情報の配信が遅延しているため全ての取引を停止しました。担当者に連絡してください。復旧の見込みは未定です。";

  it.each(["GOLD", "東京本店", "한국어", "ｶﾅ　ＡＢＣ、。", "caf\u0065\u0301 é ж", "ไทยกำ", "漢\u{20000}", "→ ≤ …"])(
    "of %s",
    async (text) => {
      const terminal = new headless.Terminal({ cols: 80, rows: 2, allowProposedApi: true });
      await new Promise<void>((resolve) => terminal.write(text, resolve));
      expect(cellsOf(text)).toBe(terminal.buffer.active.cursorX);
      const cut = fitted(text, cellsOf(text) - 1);
      expect(cellsOf(cut)).toBeLessThan(cellsOf(text));
      expect(cut).toMatch(/…$/);
    },
  );

  it("columns of a table stand below each other, and no line is broken", async () => {
    const columns = [
      { name: "account", kind: "text" },
      { name: "size", kind: "decimal" },
    ] as const;
    const rows = ["東京本店法人営業部", "GOLD", REASON].map((account) => ({ account, size: "12" }));
    const table = tableOf(columns, rows, 60).lines;
    expect(new Set(table.map(cellsOf))).toEqual(new Set([cellsOf(table[0] ?? "")]));
    const { lines } = await shownBy(table, 60, 6);
    expect(lines.map((line) => line.trimEnd()).filter((line) => line !== "")).toEqual(table);
  });

  it("the screen of top scrolls nothing away, whatever the language of a reason and of names", async () => {
    const halts = [
      "東京本店法人営業部第一課取引口座",
      "大阪支店個人営業部第二課取引口座",
      "名古屋支店個人営業部第三課取引口座",
    ].map((name) => ({
      projectionPath: `Account[${name}]`,
      reason: REASON,
      since: null,
      by: "desk",
    }));
    const reading = {
      at: 0,
      status: { projectionPath: "", halted: true, reason: REASON },
      halts: { halts, lost: [], complete: true, lacks: undefined },
      services: [],
      sessions: [],
      unread: [],
      positions: [],
    };
    const events = halts.map(({ projectionPath }) => ({ at: 0, text: `${projectionPath}: halted: ${REASON}` }));
    const scene = {
      state: { ...NOTHING_READ, reading, events } as unknown as State,
      view: FIRST_VIEW,
      name: "東京",
      width: 80,
      height: 24,
      colour: false,
      now: 0,
      message: undefined,
    };
    const { lines, above } = await shownBy(screenOf(scene), 80, 24);
    expect(above).toBe(0);
    expect(lines[0]).toMatch(/1970-01-01T00:00:00Z$/);
    expect(lines[1]).toContain("HALTED (system-wide): 相場");
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
  ])("suggest near names: %s", (typed, words) =>
    expect(didYouMeanOneOf(typed, ["NASDAQ1", "haltTrading"])).toBe(words),
  );

  it("express durations", () => {
    expect(["500ms", "5s", "5", "1.5m", "1h"].map((text) => durationMs("--wait", text))).toEqual([
      500, 5_000, 5_000, 90_000, 3_600_000,
    ]);
    expect(() => durationMs("--wait", "5 apples")).toThrow('--wait: "5 apples" is not a valid duration');
  });
});
