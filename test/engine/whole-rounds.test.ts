import { describe, expect, test } from "vitest";
import type { Clock } from "../../src/core/clock.ts";
import type { Installation } from "../../src/engine/simulated/installation.ts";
import type { OrderEvent } from "../../src/engine/simulated/order.ts";
import { SimulatedEngine } from "../../src/engine/simulated/simulated-engine.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { accepted, installation, order, positionsOf } from "./fixture.ts";

const TICK_MS = 250;
const INSTRUMENTS = 1_000;
const ORDERS = 120;

/** An installation in which a round of activity is long. */
function large(): Installation {
  const plain = installation("positions: { projections: [Exchange/Symbol, Account/Currency] }");
  const { AAPL } = plain.instruments;
  if (!AAPL) throw new Error("the small installation has no AAPL");
  const symbols = Array.from({ length: INSTRUMENTS }, (_, index) => `S${index}`);
  const instruments = { ...plain.instruments, ...Object.fromEntries(symbols.map((symbol) => [symbol, AAPL])) };
  return { ...plain, instruments, activity: "on", "tick-interval": TICK_MS };
}

interface Run {
  readonly engine: SimulatedEngine;
  readonly clock: ManualClock;
  readonly events: OrderEvent[];
  /** Ids of orders that the market fills, now or later. */
  readonly orders: string[];
  /** Tasks of the clock that have run. */
  readonly tasks: () => number;
}

/** An engine with many orders that work; `onEnd` is called for each that is cancelled or filled. */
function prepare(onEnd = (): void => {}): Run {
  const clock = new ManualClock();
  let tasks = 0;
  const counted: Clock = {
    now: () => clock.now(),
    schedule: (delayMs, task) =>
      clock.schedule(delayMs, () => {
        tasks += 1;
        task();
      }),
  };
  const events: OrderEvent[] = [];
  const onOrderEvent = (event: OrderEvent): void => {
    events.push(event);
    if (event.kind === "cancelled" || event.kind === "filled") onEnd();
  };
  const engine = new SimulatedEngine(large(), { clock: counted, onOrderEvent });
  const orders = Array.from({ length: ORDERS }, () => accepted(engine, order()));
  return { engine, clock, events, orders, tasks: () => tasks };
}

describe("D-LOAD 33: a round of activity with many instruments and orders", () => {
  test("is one task of the clock, and the next comes a pause later", () => {
    const { engine, clock, tasks } = prepare();
    engine.start();
    for (const rounds of [1, 2, 3]) {
      clock.advance(TICK_MS);
      expect([tasks(), clock.pending]).toEqual([rounds, 1]);
    }
  });

  test("ends on stop, also where an order's event stops it", () => {
    let stop = (): void => {};
    const { engine, clock, tasks } = prepare(() => stop());
    engine.start();
    stop = () => engine.stop();
    clock.advance(10 * TICK_MS);
    expect([tasks(), clock.pending]).toEqual([1, 0]);
  });

  test("respects what others do in it: orders that they cancel are over", () => {
    let cancelled = 0;
    let cancelAll = (): void => {};
    const { engine, clock, events, orders } = prepare(() => cancelAll());
    cancelAll = () => {
      cancelAll = () => {};
      cancelled = orders.filter((id) => engine.cancelOrder(id)).length;
    };
    engine.start();
    clock.advance(TICK_MS);
    expect(cancelled).toBeGreaterThan(0);
    const ends = events.filter(({ kind }) => kind === "cancelled" || kind === "filled");
    expect(ends).toHaveLength(ORDERS);
  });

  test("is the same in two runs with one seed, commands between the rounds included", () => {
    const [first, second] = [prepare(), prepare()].map((run) => {
      const { engine, clock } = run;
      engine.start();
      clock.schedule(3 * TICK_MS, () => {
        engine.haltTrading({ projectionPath: "Account[GOLD]", reason: "drill", cancelOrders: false });
        engine.adjustPosition({ projectionPath: "Account[GOLD]/Currency[USD]", size: "5", relative: true });
      });
      clock.advance(100 * TICK_MS);
      return { events: run.events, positions: positionsOf(engine, { projection: "Account/Currency" }) };
    });
    expect(first).toEqual(second);
    expect(first?.events.some(({ kind }) => kind === "filled")).toBe(true);
  });
});

describe("D-LOAD 33: a system-wide halt with cancelOrders over many orders", () => {
  test("cancels in one task of the clock all that worked when it was applied", () => {
    const { engine, clock, tasks, orders } = prepare();
    engine.haltTrading({ projectionPath: "", reason: "drill", cancelOrders: true });
    clock.advance(5);
    expect(tasks()).toBe(1);
    expect(engine.workingOrders()).toEqual([]);
    for (const id of orders) expect(engine.cancelOrder(id)).toBe(false);
  });
});
