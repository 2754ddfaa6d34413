import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Output } from "../../src/core/operations/table.ts";
import type { Side } from "../../src/engine/simulated/order.ts";
import type { SimulatedEngine } from "../../src/engine/simulated/simulated-engine.ts";
import { accepted, bench, order, POSITIONS, positionsOf, trade } from "./fixture.ts";

type Rows = Output<"listPositions">;

const PROJECTIONS = ["Account/Symbol", "Exchange/Symbol", "Trader/Symbol", "Account/RootSymbol", "Account/Currency"];
const SYMBOLS = ["AAPL", "ESZ26", "ESH27"];

const account = fc.constantFrom("GOLD", "SILVER");
const symbol = fc.constantFrom(...SYMBOLS);
const side = fc.constantFrom<Side>("Buy", "Sell");
const size = fc.integer({ min: 1, max: 40 }).map(String);
const price = fc.integer({ min: 90, max: 110 }).map(String);

type Act = (engine: SimulatedEngine) => void;

function submit(Account: string, symbol: string, side: Side, size: string): Act {
  return (engine) => void accepted(engine, order({ symbol, side, size, price: "100" }, { Account, Trader: "asmith" }));
}

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.tuple(account, symbol, side, size).map((given) => submit(...given)),
  fc.tuple(fc.nat(), price).map<Act>(([index, price]) => (engine) => {
    const working = engine.workingOrders();
    const open = working[index % Math.max(1, working.length)];
    if (open) engine.fillOrder(open.id, open.openSize, price);
  }),
  fc.nat().map<Act>((index) => (engine) => {
    const working = engine.workingOrders();
    engine.cancelOrder(working[index % Math.max(1, working.length)]?.id ?? "");
  }),
  fc.tuple(symbol, price).map<Act>(
    ([symbol, price]) =>
      (engine) =>
        engine.setMarketPrice(symbol, price),
  ),
  fc.tuple(account, fc.constantFrom("Symbol[AAPL]", "RootSymbol[ES]", "Currency[USD]"), size).map<Act>(
    ([account, end, size]) =>
      (engine) =>
        void engine.adjustPosition({ projectionPath: `Account[${account}]/${end}`, size, relative: true }),
  ),
);

describe("docs/engine/simulated.md, Long lists: a row is printed again only when something it depends on has changed", () => {
  function filled(): { engine: SimulatedEngine; rows: () => Rows } {
    const { engine } = bench(POSITIONS);
    for (const Account of ["GOLD", "SILVER"]) {
      for (const symbol of ["AAPL", "MSFT"]) {
        engine.fillOrder(accepted(engine, order({ symbol }, { Account })), "10", "100");
      }
    }
    return { engine, rows: () => positionsOf(engine, { projection: "Account/Symbol" }) };
  }

  /** The paths of the rows that are other objects than before. */
  function printedAgain(before: Rows, after: Rows): string[] {
    return after.filter((row) => !before.includes(row)).map(({ projection }) => projection);
  }

  test.each<[string, Act, string[]]>([
    ["nothing", () => {}, []],
    ["another price", (engine) => engine.setMarketPrice("AAPL", "101"), ["GOLD AAPL", "SILVER AAPL"]],
    ["the same price", (engine) => engine.setMarketPrice("AAPL", "100.00"), []],
    ["an order", submit("GOLD", "MSFT", "Buy", "1"), ["GOLD MSFT"]],
    ["a fill", (engine) => trade(engine, "Sell", "3", "99"), ["GOLD AAPL"]],
    [
      "an adjustment",
      (engine) =>
        void engine.adjustPosition({ projectionPath: "Account[SILVER]/Symbol[MSFT]", size: "1", relative: true }),
      ["SILVER MSFT"],
    ],
  ])("such as %s", (_, act, expected) => {
    const { engine, rows } = filled();
    const before = rows();
    act(engine);
    const paths = expected.map((names) => names.replace(/^(\w+) (\w+)$/, "Account[$1]/Symbol[$2]"));
    expect(printedAgain(before, rows())).toEqual(paths);
    expect(printedAgain(rows(), rows())).toEqual([]);
  });

  test("unless it spans several instruments and the price of one has changed", () => {
    const { engine } = bench(POSITIONS);
    trade(engine, "Buy", "1", "5000", "ESZ26");
    trade(engine, "Buy", "1", "5100", "ESH27");
    for (const symbol of ["ESZ26", "ESH27"]) {
      const before = positionsOf(engine, { projection: "Account/RootSymbol" });
      engine.setMarketPrice("AAPL", symbol === "ESZ26" ? "1" : "2");
      expect(positionsOf(engine, { projection: "Account/RootSymbol" })[0]).toBe(before[0]);
      engine.setMarketPrice(symbol, "5050");
      expect(positionsOf(engine, { projection: "Account/RootSymbol" })[0]).not.toBe(before[0]);
    }
  });

  test("and a reader who changes a row does not change it for others", () => {
    const { rows } = filled();
    expect(() => Object.assign(rows()[0] ?? {}, { size: "1" })).toThrow(TypeError);
    rows().pop();
    expect(rows()).toHaveLength(4);
  });

  test("property: so that an engine that was read in between shows the same as one that was not", () => {
    const readAfter = fc.option(fc.constantFrom(...PROJECTIONS), { nil: undefined });
    fc.assert(
      fc.property(fc.array(fc.record({ act, readAfter }), { maxLength: 40 }), (acts) => {
        const { engine } = bench(POSITIONS, "commission-rate: 0.01");
        const { engine: unread } = bench(POSITIONS, "commission-rate: 0.01");
        for (const { act, readAfter: projection } of acts) {
          act(engine);
          act(unread);
          if (projection !== undefined) positionsOf(engine, { projection });
        }
        for (const projection of PROJECTIONS) {
          expect(positionsOf(engine, { projection })).toEqual(positionsOf(unread, { projection }));
        }
      }),
    );
  });
});
