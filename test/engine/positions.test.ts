import { describe, expect, test } from "vitest";
import { EngineRejection } from "../../src/engine/engine.ts";
import type { SimulatedEngine } from "../../src/engine/simulated/simulated-engine.ts";
import { accepted, bench, order, POSITIONS, positionsOf, thrown, trade } from "./fixture.ts";

/** The position of a projection's only node, or of the node with the given path. */
function positionOf(engine: SimulatedEngine, projection: string, path?: string): unknown {
  const all = positionsOf(engine, { projection });
  return path === undefined ? all[0] : all.find((one) => one.projection === path);
}

const GOLD_AAPL = "Account[GOLD]/Symbol[AAPL]";

describe("positions follow fills", () => {
  test("Position: a purchase at average cost, marked at the market price, decimals exact", () => {
    const { engine } = bench(POSITIONS, "commission-rate: 0.0001");
    trade(engine, "Buy", "10", "100.10");
    trade(engine, "Buy", "30", "100.30");
    engine.setMarketPrice("AAPL", "101");
    expect(engine.listPositions({ projection: "Account/Symbol" })).toEqual([
      {
        projection: GOLD_AAPL,
        account: "GOLD",
        symbol: "AAPL",
        size: "40",
        averageCost: "100.25",
        realizedPnL: "0",
        unrealizedPnL: "30",
        marketValue: "4040",
        totalCommission: "0.401",
        openBuySize: "0",
        openSellSize: "0",
      },
    ]);
  });

  test("a reduction realizes PnL at average cost and leaves the average as it is", () => {
    const { engine } = bench(POSITIONS);
    trade(engine, "Buy", "10", "100");
    trade(engine, "Sell", "4", "103.5");
    expect(positionOf(engine, "Account/Symbol")).toMatchObject({ size: "6", averageCost: "100", realizedPnL: "14" });
  });

  test("through zero the rest opens at the price of the trade", () => {
    const { engine } = bench(POSITIONS);
    trade(engine, "Buy", "10", "100");
    trade(engine, "Sell", "15", "98");
    engine.setMarketPrice("AAPL", "97");
    expect(positionOf(engine, "Account/Symbol")).toMatchObject({
      size: "-5",
      averageCost: "98",
      realizedPnL: "-20",
      unrealizedPnL: "5",
      marketValue: "-485",
    });
  });

  test("Position, D-VAL 8: a flat node has no average cost, but a realized PnL", () => {
    const { engine } = bench(POSITIONS);
    trade(engine, "Sell", "10", "100");
    trade(engine, "Buy", "10", "101");
    expect(positionOf(engine, "Account/Symbol")).toMatchObject({
      size: "0",
      averageCost: null,
      realizedPnL: "-10",
      unrealizedPnL: "0",
      marketValue: "0",
    });
  });

  test("the multiplier of the instrument counts", () => {
    const { engine } = bench(POSITIONS, "commission-rate: 0.00001");
    trade(engine, "Buy", "3", "5000", "ESZ26");
    trade(engine, "Sell", "1", "5001", "ESZ26");
    engine.setMarketPrice("ESZ26", "5002");
    expect(positionOf(engine, "Account/Symbol")).toMatchObject({
      realizedPnL: "50",
      unrealizedPnL: "200",
      marketValue: "500200",
      totalCommission: "10.0005",
    });
  });

  test("positions: an average that does not terminate is rounded half-even to 12 decimals", () => {
    const { engine } = bench(POSITIONS);
    trade(engine, "Buy", "1", "100");
    trade(engine, "Buy", "2", "101");
    expect(positionOf(engine, "Account/Symbol")).toMatchObject({ averageCost: "100.666666666667" });
  });

  test("D-VAL 1: no digit is lost where prices have more than 12 decimals", () => {
    const { engine } = bench(POSITIONS);
    trade(engine, "Buy", "0.3", "1.000000000000000001");
    trade(engine, "Buy", "0.4", "1.000000000000000001");
    expect(positionOf(engine, "Account/Symbol")).toMatchObject({ size: "0.7", averageCost: "1.000000000000000001" });
  });

  test("Position: open sizes follow orders, partial fills and cancels", () => {
    const { engine } = bench(POSITIONS);
    const buy = accepted(engine, order({ size: "10" }));
    const sell = accepted(engine, order({ size: "7.5", side: "Sell" }));
    expect(positionOf(engine, "Account/Symbol")).toMatchObject({ size: "0", openBuySize: "10", openSellSize: "7.5" });
    engine.fillOrder(buy, "4", "100");
    expect(positionOf(engine, "Account/Symbol")).toMatchObject({ size: "4", openBuySize: "6", openSellSize: "7.5" });
    engine.cancelOrder(buy);
    engine.fillOrder(sell, "7.5", "100");
    expect(positionOf(engine, "Account/Symbol")).toMatchObject({ size: "-3.5", openBuySize: "0", openSellSize: "0" });
  });

  test("Position: each projection keeps nodes of its own; an order without a key is in none of them", () => {
    const { engine } = bench(POSITIONS);
    trade(engine, "Buy", "10", "100");
    expect(positionOf(engine, "Exchange/Symbol")).toMatchObject({
      projection: "Exchange[NASDAQ]/Symbol[AAPL]",
      exchange: "NASDAQ",
      size: "10",
    });
    expect(positionOf(engine, "Exchange/Symbol")).not.toHaveProperty("account");
    expect(engine.listPositions({ projection: "Trader/Symbol" })).toEqual([]);
    accepted(engine, order({}, { Trader: "asmith" }));
    expect(positionOf(engine, "Trader/Symbol")).toMatchObject({ trader: "asmith", openBuySize: "10" });
    expect(engine.listPositions({ projection: "Account/RootSymbol" })).toEqual([]);
  });
});

describe("nodes that span instruments", () => {
  test("Position: a RootSymbol node sums its contracts and their PnL, instrument by instrument", () => {
    const { engine } = bench(POSITIONS);
    trade(engine, "Buy", "3", "5000", "ESZ26");
    trade(engine, "Sell", "2", "5100", "ESH27");
    trade(engine, "Sell", "1", "5010", "ESZ26");
    engine.setMarketPrice("ESZ26", "5001");
    engine.setMarketPrice("ESH27", "5101");
    expect(positionOf(engine, "Account/RootSymbol")).toEqual({
      projection: "Account[GOLD]/RootSymbol[ES]",
      account: "GOLD",
      symbol: "ES",
      size: "0",
      averageCost: null,
      realizedPnL: "500",
      unrealizedPnL: "0",
      marketValue: "-10000",
      totalCommission: "0",
      openBuySize: "0",
      openSellSize: "0",
    });
  });

  test("Position: a Currency node counts money, and size + marketValue = realizedPnL + unrealizedPnL", () => {
    const { engine } = bench(POSITIONS);
    trade(engine, "Buy", "10", "100");
    trade(engine, "Sell", "4", "110");
    trade(engine, "Buy", "1", "5000", "ESZ26");
    engine.setMarketPrice("AAPL", "105");
    accepted(engine, order({ size: "2", price: "90" }));
    expect(positionOf(engine, "Account/Currency")).toMatchObject({
      symbol: "USD",
      size: "-250560",
      averageCost: null,
      realizedPnL: "40",
      unrealizedPnL: "30",
      marketValue: "250630",
      openBuySize: "0",
      openSellSize: "180",
    });
  });
});

describe("requests", () => {
  function filled(): SimulatedEngine {
    const { engine } = bench(POSITIONS);
    for (const Account of ["GOLD", "SILVER"]) {
      for (const symbol of ["AAPL", "EUR/USD"]) accepted(engine, order({ symbol }, { Account, Trader: "asmith" }));
    }
    return engine;
  }

  test.each<[Record<string, string>, string[]]>([
    [{}, ["GOLD AAPL", "GOLD EUR/USD", "SILVER AAPL", "SILVER EUR/USD"]],
    [{ account: "SILVER" }, ["SILVER AAPL", "SILVER EUR/USD"]],
    [{ symbol: "EUR/USD" }, ["GOLD EUR/USD", "SILVER EUR/USD"]],
    [{ account: "GOLD", symbol: "AAPL" }, ["GOLD AAPL"]],
    [{ account: "gold" }, []],
    [{ account: "GOL" }, []],
  ])("POST /positions: filters %j narrow the result, exactly and case-sensitively", (filters, expected) => {
    const found = positionsOf(filled(), { projection: "Account/Symbol", ...filters });
    expect(found.map(({ account, symbol }) => `${account} ${symbol}`)).toEqual(expected);
  });

  test("D-VAL 6: the filter is traderId, the field is trader", () => {
    const found = positionsOf(filled(), { projection: "Trader/Symbol", traderId: "asmith", symbol: "AAPL" });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ trader: "asmith" });
  });

  test.each([
    ["Account/Currency", "USD", 2],
    ["Account/Currency", "AAPL", 0],
  ])("POST /positions: symbol also matches %s, value %s", (projection, symbol, count) => {
    expect(filled().listPositions({ projection, symbol })).toHaveLength(count);
  });

  test("POST /positions: symbol also matches RootSymbol", () => {
    const { engine } = bench(POSITIONS);
    accepted(engine, order({ symbol: "ESH27" }));
    expect(engine.listPositions({ projection: "Account/RootSymbol", symbol: "ES" })).toHaveLength(1);
    expect(engine.listPositions({ projection: "Account/RootSymbol", symbol: "ESH27" })).toHaveLength(0);
  });

  test("POST /positions: a filter on a key that the projection does not hold is rejected, not ignored", () => {
    expect(thrown(() => filled().listPositions({ projection: "Exchange/Symbol", account: "GOLD" }))).toEqual(
      new EngineRejection(
        "rejected",
        'filter "account" does not apply to projection "Exchange/Symbol", only these do: exchange, symbol',
      ),
    );
  });

  test.each(["Symbol", "Symbol/Account", "Account", ""])("D-ENG 9: projection %j is not configured", (projection) => {
    expect(thrown(() => filled().listPositions({ projection }))).toEqual(
      new EngineRejection(
        "rejected",
        `"${projection}" is not a position projection; configured are: Account/Symbol, Exchange/Symbol, Trader/Symbol, Account/RootSymbol, Account/Currency`,
      ),
    );
  });
});
