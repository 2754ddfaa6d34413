import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { OrderEvent } from "../../src/engine/simulated/order.ts";
import type { SimulatedEngine } from "../../src/engine/simulated/simulated-engine.ts";
import { type Bench, bench, order, POSITIONS, positionsOf } from "./fixture.ts";
import { MONEY_DECIMALS, type NaiveTrade, naivePosition, printScaled, toldPosition } from "./naive-position.ts";

const MULTIPLIERS: Readonly<Record<string, bigint>> = { AAPL: 1n, ESZ26: 50n, ESH27: 50n };
const MARKS: Readonly<Record<string, string>> = { AAPL: "100", ESZ26: "5000", ESH27: "5100" };

const hundredths = fc.integer({ min: 1, max: 5000 }).map((count) => (count / 100).toFixed(2));
const request = fc.record({
  Account: fc.constantFrom("GOLD", "SILVER"),
  symbol: fc.constantFrom(...Object.keys(MULTIPLIERS)),
  side: fc.constantFrom("Buy" as const, "Sell" as const),
  size: hundredths,
  price: fc.integer({ min: 900_000, max: 1_100_000 }).map((count) => (count / 10_000).toFixed(4)),
});
/** What happens to an order: the part of its size that is filled, in hundredths, and whether the rest is cancelled. */
const fate = fc.record({ request, filled: fc.integer({ min: 0, max: 100 }), cancelled: fc.boolean() });

interface Fate {
  readonly request: { Account: string; symbol: string; side: "Buy" | "Sell"; size: string; price: string };
  readonly filled: number;
  readonly cancelled: boolean;
}

function live({ engine }: Bench, { request: { Account, ...rest }, filled, cancelled }: Fate): void {
  const submission = engine.submitOrder(order(rest, { Account }));
  if (!submission.accepted) throw new Error(submission.reason);
  const cents = Math.floor((Math.round(Number(rest.size) * 100) * filled) / 100);
  if (cents > 0) engine.fillOrder(submission.order.id, (cents / 100).toFixed(2), rest.price);
  if (cancelled) engine.cancelOrder(submission.order.id);
}

function fills(events: readonly OrderEvent[]): (NaiveTrade & { account: string | undefined; commission: string })[] {
  return events.flatMap((event) =>
    event.kind === "filled" ? [{ ...event.trade, account: event.trade.attributes.Account }] : [],
  );
}

function openSizes(engine: SimulatedEngine, account: string, symbol: string): Record<string, string> {
  const open = { Buy: 0, Sell: 0 };
  for (const working of engine.workingOrders()) {
    const ours = working.attributes.Account === account && working.symbol === symbol;
    if (ours) open[working.side] += Math.round(Number(working.openSize) * 100);
  }
  return { openBuySize: String(open.Buy / 100), openSellSize: String(open.Sell / 100) };
}

/** Nodes that have a trade, so that they must be listed. */
function traded({ events }: Bench): string[] {
  return fills(events).map(({ account, symbol }) => `${account} ${symbol}`);
}

describe("positions equal a naive recomputation from the trades", () => {
  test("property: Account/Symbol, with open sizes and commission", () => {
    fc.assert(
      fc.property(fc.array(fate, { maxLength: 25 }), (fates) => {
        const tested = bench(POSITIONS, "commission-rate: 0.01");
        for (const one of fates) live(tested, one);
        const rows = positionsOf(tested.engine, { projection: "Account/Symbol" });
        expect(rows.map(({ account, symbol }) => `${account} ${symbol}`)).toEqual(
          expect.arrayContaining(traded(tested)),
        );
        for (const row of rows) {
          const [account, symbol] = [row.account ?? "", row.symbol ?? ""];
          const multiplier = MULTIPLIERS[symbol] ?? 1n;
          const trades = fills(tested.events).filter((one) => one.account === account && one.symbol === symbol);
          const naive = naivePosition(trades, multiplier);
          expect(row).toEqual({
            projection: `Account[${account}]/Symbol[${symbol}]`,
            account,
            symbol,
            ...toldPosition(naive, MARKS[symbol] ?? "", multiplier),
            totalCommission: printScaled(naive.turnover, MONEY_DECIMALS + 2),
            ...openSizes(tested.engine, account, symbol),
          });
        }
      }),
    );
  });

  test("property: RootSymbol and Currency nodes are the sums over their instruments", () => {
    fc.assert(
      fc.property(fc.array(fate, { maxLength: 25 }), (fates) => {
        const tested = bench(POSITIONS);
        for (const one of fates) live(tested, one);
        for (const [projection, symbols] of Object.entries({
          "Account/RootSymbol": ["ESZ26", "ESH27"],
          "Account/Currency": ["AAPL", "ESZ26", "ESH27"],
        })) {
          for (const row of positionsOf(tested.engine, { projection })) {
            const expected = sums(tested.events, row.account ?? "", symbols, projection.endsWith("Currency"));
            expect(row).toMatchObject(expected);
          }
        }
      }),
    );
  });
});

function sums(events: readonly OrderEvent[], account: string, symbols: string[], money: boolean): object {
  const total = { size: 0n, cash: 0n, realized: 0n, unrealized: 0n, value: 0n };
  for (const symbol of symbols) {
    const multiplier = MULTIPLIERS[symbol] ?? 1n;
    const trades = fills(events).filter((one) => one.account === account && one.symbol === symbol);
    const part = naivePosition(trades, multiplier);
    const mark = BigInt(MARKS[symbol] ?? "") * 10n ** 12n;
    total.size += part.size;
    total.cash += part.cash;
    total.realized += part.realized;
    total.unrealized += (mark - part.average) * part.size * multiplier;
    total.value += mark * part.size * multiplier;
  }
  return {
    size: money ? printScaled(total.cash, MONEY_DECIMALS) : printScaled(total.size, 2),
    averageCost: null,
    realizedPnL: printScaled(total.realized, MONEY_DECIMALS),
    unrealizedPnL: printScaled(total.unrealized, MONEY_DECIMALS),
    marketValue: printScaled(total.value, MONEY_DECIMALS),
  };
}
