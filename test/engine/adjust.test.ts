import { describe, expect, test } from "vitest";
import { nullableDecimal } from "../../src/core/values/decimal.ts";
import { EngineRejection } from "../../src/engine/engine.ts";
import type { SimulatedEngine } from "../../src/engine/simulated/simulated-engine.ts";
import { bench, POSITIONS, positionsOf, thrown, trade } from "./fixture.ts";

const PATH = "Account[GOLD]/Symbol[AAPL]";

interface Changes {
  readonly projectionPath?: string;
  readonly relative?: boolean;
  readonly averageCost?: string;
  readonly realizedPnL?: string;
}

function adjust(engine: SimulatedEngine, size: string, changes: Changes = {}): void {
  expect(engine.adjustPosition({ projectionPath: PATH, relative: false, size, ...changes })).toBeNull();
}

function positions(engine: SimulatedEngine, projection = "Account/Symbol"): unknown[] {
  return positionsOf(engine, { projection });
}

describe("adjustments", () => {
  test("POST /positions/adjust: creates the node, sets size, average cost and realized PnL", () => {
    const { engine } = bench(POSITIONS);
    adjust(engine, "-12.50", { averageCost: "101", realizedPnL: "7" });
    expect(positions(engine)).toEqual([
      {
        projection: PATH,
        account: "GOLD",
        symbol: "AAPL",
        size: "-12.5",
        averageCost: "101",
        realizedPnL: "7",
        unrealizedPnL: "12.5",
        marketValue: "-1250",
        totalCommission: "0",
        openBuySize: "0",
        openSellSize: "0",
      },
    ]);
  });

  test("POST /positions/adjust: relative false replaces the size; what is not given stays", () => {
    const { engine } = bench(POSITIONS);
    trade(engine, "Buy", "10", "100");
    trade(engine, "Sell", "5", "102");
    adjust(engine, "8");
    expect(positions(engine)).toMatchObject([{ size: "8", averageCost: "100", realizedPnL: "10" }]);
  });

  test("POST /positions/adjust: relative true adds to the size; averageCost and realizedPnL are absolute even then", () => {
    const { engine } = bench(POSITIONS);
    trade(engine, "Buy", "10", "100");
    adjust(engine, "-3", { relative: true });
    expect(positions(engine)).toMatchObject([{ size: "7", averageCost: "100", realizedPnL: "0" }]);
    adjust(engine, "-10", { relative: true, averageCost: "99", realizedPnL: "5" });
    adjust(engine, "0", { relative: true, realizedPnL: "6" });
    expect(positions(engine)).toMatchObject([{ size: "-3", averageCost: "99", realizedPnL: "6" }]);
  });

  test("D-ENG 8: only the node named changes", () => {
    const { engine } = bench(POSITIONS);
    trade(engine, "Buy", "10", "100");
    const others = ["Exchange/Symbol", "Account/Currency"].map((projection) => positions(engine, projection));
    adjust(engine, "77", { averageCost: "1" });
    adjust(engine, "5", { projectionPath: "Account[SILVER]/Symbol[AAPL]" });
    expect(["Exchange/Symbol", "Account/Currency"].map((projection) => positions(engine, projection))).toEqual(others);
    expect(positions(engine)).toMatchObject([{ size: "77" }, { account: "SILVER", size: "5" }]);
  });

  test("POST /positions/adjust: the order of segments does not matter, the position keeps the projection's", () => {
    const { engine } = bench(POSITIONS);
    adjust(engine, "1", { projectionPath: "Symbol[EUR/USD]/Account[GOLD]" });
    expect(positions(engine)).toMatchObject([{ projection: "Account[GOLD]/Symbol[EUR/USD]", size: "1" }]);
  });

  test("POST /positions/adjust: NaN stops tracking average cost, trades leave it untracked until it is set", () => {
    const { engine } = bench(POSITIONS);
    trade(engine, "Buy", "10", "100");
    adjust(engine, "10", { averageCost: "NaN" });
    trade(engine, "Buy", "10", "100");
    expect(positions(engine)).toMatchObject([
      { size: "20", averageCost: null, unrealizedPnL: null, realizedPnL: "0", marketValue: "2000" },
    ]);
    adjust(engine, "20", { averageCost: "90" });
    trade(engine, "Buy", "20", "100");
    expect(positions(engine)).toMatchObject([{ size: "40", averageCost: "95", unrealizedPnL: "200" }]);
  });

  test("POST /positions/adjust: untracked average cost survives a flat position and a change of side", () => {
    const { engine } = bench(POSITIONS);
    adjust(engine, "10", { averageCost: "NaN" });
    trade(engine, "Sell", "15", "100");
    expect(positions(engine)).toMatchObject([{ size: "-5", averageCost: null, unrealizedPnL: null }]);
    trade(engine, "Buy", "5", "100");
    expect(positions(engine)).toMatchObject([{ size: "0", averageCost: null, unrealizedPnL: null }]);
    trade(engine, "Buy", "5", "100");
    expect(positions(engine)).toMatchObject([{ size: "5", averageCost: null }]);
  });

  test("POST /positions/adjust: NaN stops tracking realized PnL until it is set", () => {
    const { engine } = bench(POSITIONS);
    trade(engine, "Buy", "10", "100");
    adjust(engine, "10", { realizedPnL: "NaN" });
    trade(engine, "Sell", "5", "110");
    expect(positions(engine)).toMatchObject([{ realizedPnL: null, averageCost: "100", unrealizedPnL: "0" }]);
    adjust(engine, "5", { realizedPnL: "1" });
    trade(engine, "Sell", "1", "110");
    expect(positions(engine)).toMatchObject([{ realizedPnL: "11" }]);
  });

  test("adjustments: size given up at an unknown cost makes the realized PnL unknown", () => {
    const { engine } = bench(POSITIONS);
    adjust(engine, "10", { averageCost: "NaN", realizedPnL: "3" });
    trade(engine, "Buy", "1", "100");
    expect(positions(engine)).toMatchObject([{ realizedPnL: "3" }]);
    trade(engine, "Sell", "1", "100");
    expect(positions(engine)).toMatchObject([{ realizedPnL: null }]);
  });

  test("adjustments: a size that appears without a cost has an unknown cost", () => {
    const { engine } = bench(POSITIONS);
    adjust(engine, "10");
    expect(positions(engine)).toMatchObject([{ size: "10", averageCost: null, unrealizedPnL: null, realizedPnL: "0" }]);
  });

  test("adjustments: a symbol that is not an instrument has no market value", () => {
    const { engine } = bench(POSITIONS);
    adjust(engine, "10", { projectionPath: "Account[GOLD]/Symbol[GONE]", averageCost: "5" });
    expect(positions(engine)).toMatchObject([{ averageCost: "5", marketValue: null, unrealizedPnL: null }]);
  });

  test.each(["", "Account[GOLD]", "Symbol[AAPL]", "Account[GOLD]/Symbol[AAPL]/Trader[x]", "Account[GOLD]/Trader[x]"])(
    "D-ENG 9: path %j names no node of a position projection",
    (projectionPath) => {
      const { engine } = bench(POSITIONS);
      expect(thrown(() => adjust(engine, "1", { projectionPath }))).toEqual(
        new EngineRejection(
          "rejected",
          `"${projectionPath}" names no node of a position projection; configured are: Account/Symbol, Exchange/Symbol, Trader/Symbol, Account/RootSymbol, Account/Currency`,
        ),
      );
    },
  );

  test("D-ENG 9: without position projections nothing can be adjusted; a malformed path is rejected", () => {
    const { engine } = bench();
    expect(() => adjust(engine, "1")).toThrow("none is configured");
    expect(thrown(() => adjust(engine, "1", { projectionPath: "Account" }))).toBeInstanceOf(EngineRejection);
  });
});

describe("adjustments of nodes that span instruments", () => {
  const MONEY = { projectionPath: "Account[GOLD]/Currency[USD]" };
  const CONTRACTS = { projectionPath: "Account[GOLD]/RootSymbol[ES]" };

  test("money is set and added, trades continue from there, PnL of the instruments stays", () => {
    const { engine } = bench(POSITIONS);
    trade(engine, "Buy", "10", "90");
    adjust(engine, "1000", MONEY);
    adjust(engine, "500", { ...MONEY, relative: true });
    trade(engine, "Sell", "10", "95");
    expect(positions(engine, "Account/Currency")).toMatchObject([
      { size: "2450", realizedPnL: "50", marketValue: "0" },
    ]);
  });

  test("realized PnL is set, moves with trades, and can be untracked", () => {
    const { engine } = bench(POSITIONS);
    trade(engine, "Buy", "10", "90");
    trade(engine, "Sell", "5", "95");
    adjust(engine, "0", { ...MONEY, realizedPnL: "1000" });
    trade(engine, "Sell", "5", "95");
    expect(positions(engine, "Account/Currency")).toMatchObject([{ realizedPnL: "1025" }]);
    adjust(engine, "0", { ...MONEY, realizedPnL: "NaN" });
    expect(positions(engine, "Account/Currency")).toMatchObject([{ realizedPnL: null }]);
  });

  test("contracts of no instrument cannot be valued", () => {
    const { engine } = bench(POSITIONS);
    trade(engine, "Buy", "2", "5000", "ESZ26");
    adjust(engine, "3", CONTRACTS);
    expect(positions(engine, "Account/RootSymbol")).toMatchObject([
      { size: "3", unrealizedPnL: null, marketValue: null },
    ]);
    adjust(engine, "-1", { ...CONTRACTS, relative: true });
    expect(positions(engine, "Account/RootSymbol")).toMatchObject([
      { size: "2", unrealizedPnL: "0", marketValue: "500000" },
    ]);
  });

  test("an average cost is rejected and nothing is changed or created; NaN is what holds anyway", () => {
    const { engine } = bench(POSITIONS);
    const reason = "averageCost: a node that spans instruments has no average cost";
    expect(thrown(() => adjust(engine, "5", { ...MONEY, averageCost: "1" }))).toEqual(
      new EngineRejection("rejected", reason),
    );
    expect(positions(engine, "Account/Currency")).toEqual([]);
    adjust(engine, "5", { ...MONEY, averageCost: "NaN" });
    expect(positions(engine, "Account/Currency")).toMatchObject([{ size: "5", averageCost: null }]);
  });
});

describe("very long decimals", () => {
  const LONG = `${"9".repeat(40)}.${"1".repeat(23)}`;

  test("D-VAL 1: 64 characters come back as they went in; values that do not fit are rounded or null", () => {
    const { engine } = bench(POSITIONS);
    adjust(engine, LONG, { averageCost: LONG, realizedPnL: LONG });
    const [row] = positionsOf(engine, { projection: "Account/Symbol" });
    expect(row).toMatchObject({ size: LONG, averageCost: LONG, realizedPnL: LONG });
    expect(row?.unrealizedPnL).toBeNull();
    expect(row?.marketValue).toBe(`${"9".repeat(40)}11.${"1".repeat(21)}`);
    for (const value of Object.values(row ?? {}).slice(3))
      expect(nullableDecimal().safeParse(value).success).toBe(true);
  });

  test("adjustments: a sum of more than 64 characters is rejected and changes nothing", () => {
    const { engine } = bench(POSITIONS);
    adjust(engine, "9".repeat(64));
    expect(thrown(() => adjust(engine, "1", { relative: true, realizedPnL: "5" }))).toEqual(
      new EngineRejection("rejected", "size: the sum of the current value and the change has more than 64 characters"),
    );
    expect(positions(engine)).toMatchObject([{ size: "9".repeat(64), realizedPnL: "0" }]);
  });
});
