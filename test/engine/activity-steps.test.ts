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

function prepare(): Run {
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
  const engine = new SimulatedEngine(large(), { clock: counted, onOrderEvent: (event) => events.push(event) });
  const orders = Array.from({ length: ORDERS }, () => accepted(engine, order()));
  return { engine, clock, events, orders, tasks: () => tasks };
}

describe("D-LOAD 2: a round of activity with many instruments and orders", () => {
  test("is several tasks of the clock, and ends before the next begins", () => {
    const { engine, clock, tasks } = prepare();
    engine.start();
    clock.advance(TICK_MS);
    const first = tasks();
    expect(first).toBeGreaterThan(5);
    expect(clock.pending).toBe(1);
    clock.advance(TICK_MS);
    expect(tasks()).toBeGreaterThanOrEqual(first + 5);
    expect(clock.pending).toBe(1);
  });

  test("ends between two tasks on stop", () => {
    const { engine, clock, tasks } = prepare();
    engine.start();
    clock.schedule(TICK_MS, () => engine.stop());
    clock.advance(10 * TICK_MS);
    expect(tasks()).toBe(1);
    expect(clock.pending).toBe(0);
  });

  test.each([0, 2, 4, 5, 6])("respects what others do behind task %i: orders that they cancel are over", (task) => {
    const { engine, clock, events, orders } = prepare();
    let cancelled = 0;
    const cancelAfter = (tasks: number): void => {
      if (tasks > 0) clock.schedule(0, () => cancelAfter(tasks - 1));
      else cancelled = orders.filter((id) => engine.cancelOrder(id)).length;
    };
    engine.start();
    clock.schedule(TICK_MS, () => cancelAfter(task));
    clock.advance(TICK_MS);
    expect(cancelled).toBeGreaterThan(0);
    const ends = events.filter(({ kind }) => kind === "cancelled" || kind === "filled");
    expect(ends).toHaveLength(ORDERS);
  });

  test("is the same in two runs with one seed, commands between the tasks included", () => {
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

describe("D-LOAD 2: a system-wide halt with cancelOrders over many orders", () => {
  test("cancels in several tasks of the clock all that worked when it was applied", () => {
    const { engine, clock, tasks, orders } = prepare();
    engine.haltTrading({ projectionPath: "", reason: "drill", cancelOrders: true });
    clock.advance(5);
    expect(tasks()).toBeGreaterThan(1);
    expect(engine.workingOrders()).toEqual([]);
    for (const id of orders) expect(engine.cancelOrder(id)).toBe(false);
  });
});
