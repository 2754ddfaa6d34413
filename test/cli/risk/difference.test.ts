import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { differenceOf } from "../../../src/cli/risk/difference.ts";
import { planOf, updateOf } from "../../../src/cli/risk/plan.ts";
import type { LimitTable } from "../../../src/cli/risk/row-changes.ts";
import { riskDirection } from "../../../src/core/operations/risk-direction.ts";
import { table, tables } from "./tables.ts";

const GOLD = { Account: "GOLD" };

/** The effect of changing one limit of one row. */
function effect(name: string, from: string | null, to: string | null): string | undefined {
  const [change] = differenceOf(table([GOLD, { [name]: from }]), table([GOLD, { [name]: to }])).changes;
  return change?.limits[0]?.effect;
}

describe("risk plan: the difference of a file to the live table", () => {
  it.each([
    ["a smaller number", "100", "99.5", "tighter"],
    ["a larger number", "100", "100.000000000000000000000000000001", "looser"],
    ["a number where there was none", null, "100", "tighter"],
    ["unlimited", "0", null, "looser"],
  ])("marks %s", (_, from, to, mark) => {
    expect(effect("MaxOrderSize", from, to)).toBe(mark);
  });

  it("marks the larger number of a minimum as tighter", () => {
    expect([effect("MinOrderSize", "1", "2"), effect("MinOrderSize", "2", "1")]).toEqual(["tighter", "looser"]);
    expect(effect("Mineral", "1", "2")).toBe("looser");
  });

  it.each([
    "MinPrice",
    "minPrice",
    "Min",
    "min_price",
    "MIN_PRICE",
    "MinimumPrice",
    "Minimum Order Size",
    "MinuteOrders",
    "MINUTE_ORDERS",
    "Minima",
    "Mineral",
    "minutes",
    "MaxOrderSize",
    "AdminMin",
  ])("D-LOAD 32: marks a higher %s as a policy sees its direction", (name) => {
    const conditions = { Account: "GOLD" };
    const rowOf = (limit: string) => ({ conditions, limits: { [name]: limit } });
    const direction = riskDirection([{ type: "UPDATE", ...rowOf("2") }], [rowOf("1")]);
    expect(effect(name, "1", "2")).toBe({ tightens: "tighter", loosens: "looser", neutral: undefined }[direction]);
    expect(direction).toBe(/^min(imum)?(_| |Price|$)/i.test(name) ? "tightens" : "loosens");
  });

  it("ignores that a number is written in another way", () => {
    expect(effect("MaxOrderSize", "100", "+100.00")).toBeUndefined();
  });

  it("has new rows as new, and rows that the file lacks as deleted", () => {
    const live = table([GOLD, { MaxOrderSize: "5" }]);
    const wanted = table([{ Account: "*" }, { MaxOrderSize: "7" }]);
    expect(differenceOf(live, wanted).changes).toEqual([
      { type: "INSERT", conditions: { Account: "*" }, limits: [{ name: "MaxOrderSize", to: "7", effect: "new" }] },
      {
        type: "DELETE",
        conditions: GOLD,
        limits: [{ name: "MaxOrderSize", from: "5", to: "7", effect: "looser", comparedWith: { Account: "*" } }],
      },
    ]);
  });

  it("D-LOAD 32: compares a new row with the one that applied to its orders: a limit that it does not name is gone", () => {
    const all = [{ Account: "*" }, { MaxPositionLong: "8000", MaxOrderSize: "100" }] as const;
    const [change, ...others] = differenceOf(
      table(all),
      table(all, [GOLD, { MaxOrderSize: "50", Other: "1" }]),
    ).changes;
    const comparedWith = { Account: "*" };
    expect([change?.conditions, others]).toEqual([GOLD, []]);
    expect(change?.limits.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
      { name: "MaxOrderSize", from: "100", to: "50", effect: "tighter", comparedWith },
      { name: "MaxPositionLong", from: "8000", effect: "looser", comparedWith },
      { name: "Other", from: null, to: "1", effect: "tighter", comparedWith },
    ]);
  });

  it("D-LOAD 32: compares a deleted row with the one that applies to its orders then, which may be tighter", () => {
    const all = [{ Account: "*" }, { MaxPositionLong: "8000", MaxOrderSize: "100" }] as const;
    const live = table(all, [GOLD, { MaxPositionLong: null, MaxOrderSize: "50", Other: "1" }]);
    const [change] = differenceOf(live, table(all)).changes;
    const comparedWith = { Account: "*" };
    expect(change?.limits.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
      { name: "MaxOrderSize", from: "50", to: "100", effect: "looser", comparedWith },
      { name: "MaxPositionLong", from: null, to: "8000", effect: "tighter", comparedWith },
      { name: "Other", from: "1", to: null, effect: "looser", comparedWith },
    ]);
    const [lost] = differenceOf(live, table([{ Account: "OTHER" }, {}])).changes.slice(-1);
    expect(lost).toMatchObject({ type: "DELETE", limits: [{ effect: "looser" }, { effect: "looser" }] });
  });

  it("D-LOAD 32: of several rows that may apply in its place, shows the one by which a limit gets loosest", () => {
    const row = (account: string, symbol: string, Max: string) => ({
      conditions: { Account: account, Symbol: symbol },
      limits: { Max },
    });
    const projection = "Account/Symbol";
    const live = { projection, rows: [row("GOLD", "*", "20000"), row("*", "*", "8000")] };
    const changeTo = (max: string) =>
      differenceOf(live, { projection, rows: [...live.rows, row("GOLD", "AAPL", max)] }).changes[0]?.limits;
    const all = { Account: "*", Symbol: "*" };
    expect(changeTo("10000")).toEqual([
      { name: "Max", from: "8000", to: "10000", effect: "looser", comparedWith: all },
    ]);
    expect(changeTo("8000")).toMatchObject([{ from: "20000", to: "8000", effect: "tighter" }]);
  });

  it("D-LOAD 32: says of every update what a policy sees as its direction", () => {
    const effects = (live: LimitTable, wanted: LimitTable): Set<string> =>
      new Set(differenceOf(live, wanted).changes.flatMap(({ limits }) => limits.map(({ effect }) => effect)));
    const accounts = fc.uniqueArray(fc.constantFrom("*", "A", "B", "C"), { maxLength: 4 });
    const value = fc.option(fc.constantFrom("1", "2", "3"));
    const wantedTable = accounts.chain((names) =>
      fc
        .tuple(...names.map(() => fc.record({ Max: value, MinPrice: value })))
        .map((all) =>
          table(
            [{ Account: "*" }, { Max: "2" }],
            ...all
              .map((limits, at) => [{ Account: names[at] ?? "" }, limits] as const)
              .filter(([{ Account }]) => Account !== "*"),
          ),
        ),
    );
    fc.assert(
      fc.property(wantedTable, wantedTable, (live, wanted) => {
        const { changes } = differenceOf(live, wanted);
        const direction = riskDirection(updateOf(planOf(live, { changes })).commands, live.rows);
        const found = effects(live, wanted);
        const worst = found.has("looser") ? "loosens" : found.has("tighter") ? "tightens" : "neutral";
        expect(worst).toBe(direction);
      }),
    );
  });

  it("keeps a limit that the file does not name, and notes that", () => {
    const live = table([GOLD, { MaxOrderSize: "5", MaxOpenOrdersCount: "3", Other: null }]);
    expect(differenceOf(live, table([GOLD, { MaxOrderSize: "5" }]))).toEqual({
      changes: [],
      notes: ["Account=GOLD: MaxOpenOrdersCount is not in the file and stays 3; write null to lift it"],
    });
  });

  it("is empty for a table and itself, in whatever order rows and conditions are", () => {
    fc.assert(
      fc.property(tables, (live) => {
        const rows = live.rows.toReversed().map(({ conditions, limits }) => ({
          conditions: Object.fromEntries(Object.entries(conditions).toReversed()),
          limits,
        }));
        expect(differenceOf(live, { ...live, rows })).toEqual({ changes: [], notes: [] });
      }),
    );
  });
});
