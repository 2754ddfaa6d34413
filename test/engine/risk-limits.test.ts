import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RiskRow } from "../../src/engine/simulated/risk-table.ts";
import { accepted, bench, order, POSITIONS, refusal, trade } from "./fixture.ts";

function table(projection: string, limits: string, ...rows: string[]): string {
  return `
risk:
  tables:
    ${JSON.stringify(projection)}:
      limits: ${limits}
      rows: [${rows.join(", ")}]
`;
}

describe("limits on orders", () => {
  test("MaxOrderSize refuses what is larger, and lets the limit itself pass", () => {
    const { engine, events } = bench(table("", "[MaxOrderSize]", "{ limits: { MaxOrderSize: 10.5 } }"));
    expect(refusal(engine, order({ size: "10.5" }))).toBeUndefined();
    const reason = "5001 MAX_ORDER_SIZE: order size 10.50001 exceeds MaxOrderSize 10.5 system-wide";
    expect(refusal(engine, order({ size: "10.50001" }))).toBe(reason);
    expect(events.at(-1)).toMatchObject({ kind: "refused", reason });
    expect(engine.workingOrders()).toHaveLength(1);
  });

  test("MaxOrderNotional counts price and multiplier; a market order counts at the market price", () => {
    const { engine } = bench(
      table(
        "Currency",
        "[MaxOrderNotional]",
        '{ conditions: { Currency: "*" }, limits: { MaxOrderNotional: 250000 } }',
      ),
    );
    const future = order({ symbol: "ESZ26", size: "1" });
    expect(refusal(engine, future)).toBeUndefined();
    expect(refusal(engine, { ...future, price: "5000.01" })).toBe(
      "MAX_ORDER_NOTIONAL: order notional 250000.5 exceeds MaxOrderNotional 250000 at Currency[USD]",
    );
    engine.setMarketPrice("ESZ26", "5000.25");
    expect(refusal(engine, future)).toContain("order notional 250012.5");
    expect(refusal(engine, order({ symbol: "ESZ26", size: "1", price: "-5001" }))).toContain("order notional 250050");
  });

  test("MaxPositionLong counts position, open buys and the order; sells are not its business", () => {
    const { engine } = bench(
      table(
        "Account/Symbol",
        "[MaxPositionLong]",
        '{ conditions: { Account: "*", Symbol: "*" }, limits: { MaxPositionLong: 100 } }',
      ),
    );
    trade(engine, "Buy", "40", "100");
    const id = accepted(engine, order({ size: "30", price: "99" }));
    expect(refusal(engine, order({ size: "31" }))).toBe(
      "5002 MAX_LONG_POSITION_SIZE: long position with open orders 101 exceeds MaxPositionLong 100 at Account[GOLD]/Symbol[AAPL]",
    );
    expect(refusal(engine, order({ size: "31" }, { Account: "SILVER" }))).toBeUndefined();
    expect(refusal(engine, order({ size: "5000", side: "Sell" }))).toBeUndefined();
    expect(refusal(engine, order({ size: "30" }))).toBeUndefined();
    expect(refusal(engine, order({ size: "1" }))).toContain("5002");
    engine.cancelOrder(id);
    expect(refusal(engine, order({ size: "30" }))).toBeUndefined();
  });

  test("MaxPositionShort counts open sells and the order less the position", () => {
    const { engine } = bench(
      table(
        "Account/Symbol",
        "[MaxPositionShort]",
        '{ conditions: { Account: "*", Symbol: "*" }, limits: { MaxPositionShort: 100 } }',
      ),
    );
    trade(engine, "Buy", "50", "100");
    accepted(engine, order({ size: "100", side: "Sell" }));
    expect(refusal(engine, order({ size: "51", side: "Sell" }))).toBe(
      "5003 MAX_SHORT_POSITION_SIZE: short position with open orders 101 exceeds MaxPositionShort 100 at Account[GOLD]/Symbol[AAPL]",
    );
    expect(refusal(engine, order({ size: "50", side: "Sell" }))).toBeUndefined();
    expect(refusal(engine, order({ size: "5000" }))).toBeUndefined();
  });

  test("limits: an adjusted position counts, where table and position projection have the same keys", () => {
    const { engine } = bench(
      POSITIONS,
      table(
        "Symbol/Account",
        "[MaxPositionLong]",
        '{ conditions: { Account: "*", Symbol: "*" }, limits: { MaxPositionLong: 100 } }',
      ),
    );
    engine.adjustPosition({ projectionPath: "Account[GOLD]/Symbol[AAPL]", size: "95", relative: false });
    expect(refusal(engine, order({ size: "6" }))).toContain("5002");
    expect(refusal(engine, order({ size: "5" }))).toBeUndefined();
  });

  test("limits: position limits on a Currency table count money; whoever buys an instrument sells money", () => {
    const { engine } = bench(
      table(
        "Account/Currency",
        "[MaxPositionShort]",
        '{ conditions: { Account: "*", Currency: USD }, limits: { MaxPositionShort: 10000 } }',
      ),
    );
    trade(engine, "Buy", "60", "100");
    expect(refusal(engine, order({ size: "41", price: "100" }))).toContain("short position with open orders 10100");
    expect(refusal(engine, order({ size: "40", price: "100" }))).toBeUndefined();
    expect(refusal(engine, order({ size: "900", side: "Sell" }))).toBeUndefined();
  });

  test("MaxOpenOrdersCount counts the working orders of the node", () => {
    const { engine } = bench(
      table("Source", "[MaxOpenOrdersCount]", '{ conditions: { Source: "*" }, limits: { MaxOpenOrdersCount: 2 } }'),
    );
    const first = accepted(engine, order());
    const second = accepted(engine, order());
    expect(refusal(engine, order())).toBe(
      "5016 MAX_OPEN_ORDERS_COUNT: number of open orders 3 exceeds MaxOpenOrdersCount 2 at Source[SRC1]",
    );
    expect(refusal(engine, order({}, { Source: "SRC2" }))).toBeUndefined();
    engine.fillOrder(first, "4", "100");
    expect(refusal(engine, order())).toContain("5016");
    engine.fillOrder(first, "6", "100");
    expect(refusal(engine, order())).toBeUndefined();
    engine.cancelOrder(second);
    expect(refusal(engine, order())).toBeUndefined();
  });

  test("limits: null is unlimited", () => {
    const { engine } = bench(table("", "[MaxOrderSize]", "{ limits: { MaxOrderSize: null } }"));
    expect(refusal(engine, order({ size: "999999999" }))).toBeUndefined();
  });

  test("limits: an update holds from the next order on", () => {
    const { engine } = bench(table("", "[MaxOrderSize]", "{ limits: { MaxOrderSize: 10 } }"));
    expect(refusal(engine, order({ size: "11" }))).toContain("5001");
    const update = { type: "UPDATE" as const, conditions: {}, limits: { MaxOrderSize: "11" } };
    engine.updateRiskTable({ projection: "", commands: [update] });
    expect(refusal(engine, order({ size: "11" }))).toBeUndefined();
  });

  test("limits: every table has its say", () => {
    const { engine } = bench(`
risk:
  tables:
    Account: { limits: [MaxOrderSize], rows: [{ conditions: { Account: "*" }, limits: { MaxOrderSize: 100 } }] }
    Symbol: { limits: [MaxOrderSize], rows: [{ conditions: { Symbol: "*" }, limits: { MaxOrderSize: 50 } }] }
`);
    expect(refusal(engine, order({ size: "51" }))).toContain("at Symbol[AAPL]");
    expect(refusal(engine, order({ size: "101" }))).toContain("at Account[GOLD]");
  });
});

describe("choice of the row", () => {
  const rows = [
    '{ conditions: { Account: "*", Symbol: "*" }, limits: { MaxOrderSize: 1 } }',
    '{ conditions: { Account: "*", Symbol: AAPL }, limits: { MaxOrderSize: 2 } }',
    '{ conditions: { Account: GOLD, Symbol: "*" }, limits: { MaxOrderSize: 3 } }',
    "{ conditions: { Account: GOLD, Symbol: AAPL }, limits: { MaxOrderSize: 4 } }",
  ];

  test.each([
    ["GOLD", "AAPL", "4"],
    ["GOLD", "MSFT", "3"],
    ["SILVER", "AAPL", "2"],
    ["SILVER", "MSFT", "1"],
  ])("the most specific row holds for %s %s", (account, symbol, limit) => {
    const { engine } = bench(table("Account/Symbol", "[MaxOrderSize]", ...rows));
    expect(refusal(engine, order({ symbol, size: "99" }, { Account: account }))).toContain(`MaxOrderSize ${limit} at`);
  });

  test("of rows with equally many wildcards the one holds that names the earlier key", () => {
    const { engine } = bench(table("Account/Symbol", "[MaxOrderSize]", ...rows.slice(0, 3)));
    expect(refusal(engine, order({ size: "99" }))).toContain("MaxOrderSize 3 at");
  });

  test("reject-unmatched-orders: an order without a row is refused by default", () => {
    const { engine } = bench(table("Account/Symbol", "[MaxOrderSize]", rows[2] ?? ""));
    expect(refusal(engine, order({}, { Account: "SILVER" }))).toBe(
      '5014 NO_RISK_LIMIT: no row of risk table "Account/Symbol" matches the order',
    );
  });

  test("reject-unmatched-orders: an order that lacks a key of the table has no row, not even a wildcard's", () => {
    const { engine } = bench(table("Trader", "[MaxOrderSize]", '{ conditions: { Trader: "*" }, limits: {} }'));
    expect(refusal(engine, order())).toContain("5014 NO_RISK_LIMIT");
    expect(refusal(engine, order({}, { Trader: "asmith" }))).toBeUndefined();
  });

  test("reject-unmatched-orders: false lets orders without a row pass", () => {
    const { engine } = bench(`
risk:
  reject-unmatched-orders: false
  tables:
    Account/Symbol: { limits: [MaxOrderSize], rows: [${rows[2]}] }
`);
    expect(refusal(engine, order({ size: "99" }, { Account: "SILVER" }))).toBeUndefined();
    expect(refusal(engine, order({ size: "99" }))).toContain("5001");
  });

  test("property: the row that holds is the one a naive search by specificity finds", () => {
    const value = (...names: string[]) => fc.constantFrom("*", ...names);
    const conditions = fc.record({
      Source: value("SRC1", "SRC2"),
      Account: value("GOLD", "SILVER"),
      Symbol: value("AAPL", "MSFT"),
    });
    const rowSet = fc.uniqueArray(conditions, { selector: (row) => JSON.stringify(row), minLength: 1, maxLength: 10 });
    const wanted = fc.record({
      Source: fc.constantFrom("SRC1", "SRC2"),
      Account: fc.constantFrom("GOLD", "SILVER"),
      Symbol: fc.constantFrom("AAPL", "MSFT"),
    });
    fc.assert(
      fc.property(rowSet, wanted, (all, { Symbol: symbol, ...attributes }) => {
        const { engine } = bench(table("Source/Account/Symbol", "[MaxOrderSize]"));
        const commands = all.map((conditions, index) => ({
          type: "INSERT" as const,
          conditions,
          limits: { MaxOrderSize: String(index + 1) },
        }));
        const { rows } = engine.updateRiskTable({ projection: "Source/Account/Symbol", commands });
        const limit = naiveRow(rows, { ...attributes, Symbol: symbol })?.limits.MaxOrderSize;
        const reason = refusal(engine, order({ symbol, size: "99" }, attributes));
        expect(reason).toContain(limit === undefined ? "5014" : `MaxOrderSize ${limit} at`);
      }),
    );
  });
});

function naiveRow(rows: readonly RiskRow[], attributes: Record<string, string>): RiskRow | undefined {
  const keys = ["Source", "Account", "Symbol"];
  const rank = (row: RiskRow) => keys.map((key) => (row.conditions[key] === "*" ? 1 : 0));
  const order = (row: RiskRow) => {
    const stars = rank(row);
    return stars.reduce<number>((sum, star) => sum + star, 0) * 1000 + Number.parseInt(stars.join(""), 2);
  };
  return rows
    .filter(({ conditions }) => keys.every((key) => conditions[key] === "*" || conditions[key] === attributes[key]))
    .toSorted((a, b) => order(a) - order(b))[0];
}
