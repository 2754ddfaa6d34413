import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { parseSettings } from "../../src/config/load.ts";
import { ENGINE_CALLER } from "../../src/core/load/caller-queue.ts";
import { Sequences } from "../../src/core/load/concurrency.ts";
import { position } from "../../src/core/operations/positions.ts";
import type { OperationName, Output } from "../../src/core/operations/table.ts";
import { exact } from "../../src/core/values/exact-decimal.ts";
import { type Instrument, Market } from "../../src/engine/simulated/market.ts";
import type { Fill, Side } from "../../src/engine/simulated/order.ts";
import { PositionLedger } from "../../src/engine/simulated/position-ledger.ts";
import { SimulatedEngine } from "../../src/engine/simulated/simulated-engine.ts";
import { openEngine } from "../../src/gateway/engine/opened-engine.ts";
import { BUDGET_MS, nextTurn, World } from "../core/gate-world.ts";
import { CountedTurns } from "../support/counted-turns.ts";
import { installation, PLAIN, POSITIONS, positionsOf } from "./fixture.ts";

/** Turns of the event loop, counted as long as `task` is not done. */
async function turnsOf<T>(task: Promise<T>): Promise<{ value: T; turns: number }> {
  let turns = 0;
  let counting = true;
  const count = (): void => {
    turns += 1;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  const value = await task;
  counting = false;
  return { value, turns };
}

function withPositions(count: number): SimulatedEngine {
  const engine = new SimulatedEngine(installation(POSITIONS));
  for (let index = 0; index < count; index += 1) {
    const projectionPath = `Account[A${index}]/Symbol[AAPL]`;
    engine.adjustPosition({ projectionPath, size: `${index + 1}`, relative: false, averageCost: "99.5" });
  }
  return engine;
}

describe("D-LOAD 2: long lists of positions", () => {
  const projection = "Account/Symbol";

  test("have 200 rows immediately, and 201 later", async () => {
    expect(positionsOf(withPositions(200), { projection })).toHaveLength(200);
    const later = withPositions(201).listPositions({ projection });
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toHaveLength(201);
  });

  test("take many turns of the event loop for 10,000 rows, in the form of the API, while other requests are served", async () => {
    const engine = withPositions(10_000);
    const list = Promise.resolve(engine.listPositions({ projection }));
    const order: string[] = [];
    setImmediate(() => setImmediate(() => order.push(engine.getTradingStatus({ projectionPath: "" }).projectionPath)));
    const { value, turns } = await turnsOf(list.finally(() => order.push("list")));
    expect(order).toEqual(["", "list"]);
    expect(turns).toBeGreaterThan(2);
    expect(value).toHaveLength(10_000);
    expect(value.map(({ size }) => size)).toEqual(value.map((_, index) => `${index + 1}`));
    expect(position().strict().safeParse(value[9999]).error).toBeUndefined();
  });

  test("reject a filter that does not apply immediately", () => {
    expect(() => withPositions(201).listPositions({ projection, source: "S" })).toThrow(
      'filter "source" does not apply',
    );
  });

  test("are long over many nodes without any instrument", () => {
    const engine = new SimulatedEngine(installation(POSITIONS));
    for (let index = 0; index < 201; index += 1) {
      engine.adjustPosition({ projectionPath: `Account[A${index}]/Currency[USD]`, size: "1", relative: false });
    }
    expect(engine.listPositions({ projection: "Account/Currency" })).toBeInstanceOf(Promise);
  });

  test("are long over few nodes with many instruments, too", () => {
    const market = marketOf(300);
    const ledger = new PositionLedger("Account/Currency", ["Account", "Currency"], market);
    for (const { instrument } of market.quotes.slice(0, 200)) ledger.book(fill("GOLD", instrument, "Buy", "1", "100"));
    expect(ledger.isShort).toBe(true);
    for (const { instrument } of market.quotes.slice(200)) ledger.book(fill("GOLD", instrument, "Buy", "1", "100"));
    expect(ledger.isShort).toBe(false);
  });
});

describe("D-LOAD 2: any number of long lists together has the budget of one, under the gate of the process", () => {
  test("in the order in which they came, one piece in a turn, and behind a stop", async () => {
    const world = new World();
    const lists = new Sequences();
    const list = (name: string) => (): Promise<void> => world.long(ENGINE_CALLER, Array(3).fill(name), BUDGET_MS);
    const all = Promise.all(["a", "b"].map((name) => lists.run(ENGINE_CALLER, list(name))));
    const seen: string[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      await nextTurn();
      seen.push(world.done.join(" "));
      if (turn === 0)
        for (const stop of ["halt 1", "halt 2"]) world.gate.schedule("chief", "stop", world.job(stop, 10));
    }
    expect(seen).toEqual([
      "a",
      "a halt 1 halt 2 a",
      "a halt 1 halt 2 a a",
      "a halt 1 halt 2 a a b",
      "a halt 1 halt 2 a a b b",
      "a halt 1 halt 2 a a b b b",
    ]);
    await all;
  });

  test("and the gateway embeds the engine with the gate of its API", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "trading-admin-long-lists-")), "installation.yaml");
    onTestFinished(() => rmSync(dirname(file), { recursive: true }));
    writeFileSync(file, PLAIN + POSITIONS);
    const { gate } = new World();
    const { transport } = await openEngine(parseSettings(`admin.engine.installation: ${file}`, file), gate, () => {});
    const turns = vi.spyOn(gate, "turns");
    const context = { user: "alice", requestId: "1", deadline: Date.now() + 10_000 };
    const ask = (method: OperationName, input: unknown) =>
      transport.exchange({ method, input, lane: "read", context }).reply;
    for (let index = 0; index < 201; index += 1) {
      await ask("adjustPosition", { projectionPath: `Account[A${index}]/Symbol[AAPL]`, size: "1", relative: false });
    }
    expect(turns).not.toHaveBeenCalled();
    expect(await ask("listPositions", { projection: "Account/Symbol" })).toMatchObject({ ok: true });
    expect(turns).toHaveBeenCalledOnce();
  });
});

/** Happens between two turns of a list. */
interface Interruption {
  readonly instrument: number;
  readonly account: string;
  readonly side: Side;
  readonly size: string;
  readonly price: string;
  readonly trades: boolean;
}

const interruption: fc.Arbitrary<Interruption> = fc.record({
  instrument: fc.integer({ min: 0, max: 4 }),
  account: fc.constantFrom("GOLD", "SILVER"),
  side: fc.constantFrom<Side>("Buy", "Sell"),
  size: fc.integer({ min: 1, max: 40 }).map(String),
  price: fc.integer({ min: 90, max: 110 }).map(String),
  trades: fc.boolean(),
});

function marketOf(instruments: number): Market {
  const entry = Object.values(installation().instruments)[0];
  if (!entry) throw new Error("the small installation has no instrument");
  return new Market(Object.fromEntries(Array.from({ length: instruments }, (_, index) => [`S${index}`, entry])));
}

function fill(account: string, instrument: Instrument, side: Side, size: string, price: string): Fill {
  const attributes = { Account: account, Symbol: instrument.symbol, Currency: instrument.currency };
  const amounts = { size: exact(size), price: exact(price) };
  const order = { id: "1", instrument, attributes, side, limitPrice: undefined, timestamp: 0, ...amounts };
  return { order, ...amounts, commission: exact("0") };
}

function interrupt(market: Market, ledger: PositionLedger, { instrument, trades, ...what }: Interruption): void {
  const traded = market.quotes[instrument]?.instrument;
  if (!traded) return;
  if (trades) ledger.book(fill(what.account, traded, what.side, what.size, what.price));
  else market.setMark(traded.symbol, exact(what.price));
}

/** What there is of money beyond what was earned: none but for the rounded digits of average costs. */
function imbalance({ size, marketValue, realizedPnL, unrealizedPnL }: Output<"listPositions">[number]): number {
  const money = exact(size ?? "").plus(exact(marketValue ?? ""));
  return money
    .minus(exact(realizedPnL ?? ""))
    .minus(exact(unrealizedPnL ?? ""))
    .abs()
    .toNumber();
}

describe("docs/engine/simulated.md, Long lists: each row is of one moment", () => {
  test("property: size + marketValue = realizedPnL + unrealizedPnL, whatever happens between its turns", async () => {
    const several = fc.array(interruption, { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(several, several, async (before, between) => {
        const market = marketOf(5);
        const ledger = new PositionLedger("Account/Currency", ["Account", "Currency"], market);
        for (const one of before) interrupt(market, ledger, one);
        const turns = new CountedTurns((turn) => {
          for (const one of between.slice(turn, turn + 1)) interrupt(market, ledger, one);
        });
        const every = ledger.filterOf({});
        const rows = [...(await ledger.listInTurns(every, turns)), ...ledger.list(every)];
        for (const row of rows) expect(imbalance(row)).toBeLessThan(1e-6);
      }),
    );
  });
});
