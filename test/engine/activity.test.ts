import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { operations } from "../../src/core/operations/table.ts";
import { type Installation, loadInstallation } from "../../src/engine/simulated/installation.ts";
import type { OrderEvent } from "../../src/engine/simulated/order.ts";
import { SimulatedEngine, type SimulatedEngineOptions } from "../../src/engine/simulated/simulated-engine.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { installation as plain, positionsOf } from "./fixture.ts";

let sample: Installation;

beforeAll(async () => {
  sample = await loadInstallation(join(import.meta.dirname, "../../examples/demo/installation.yaml"));
});

interface Run {
  readonly engine: SimulatedEngine;
  readonly clock: ManualClock;
  readonly events: OrderEvent[];
}

function prepare(installation: Installation, options: SimulatedEngineOptions = {}): Run {
  const clock = new ManualClock();
  const events: OrderEvent[] = [];
  const engine = new SimulatedEngine(installation, { clock, onOrderEvent: (event) => events.push(event), ...options });
  return { engine, clock, events };
}

/** Everything that can be observed of an engine. */
function observed({ engine, events }: Run): unknown {
  return {
    events,
    working: engine.workingOrders(),
    trades: engine.trades(),
    status: engine.getTradingStatus({ projectionPath: "" }),
    tables: Object.keys(sample.risk.tables).map((projection) => engine.getRiskTable({ projection })),
    positions: sample.positions.projections.map((projection) => positionsOf(engine, { projection })),
    services: engine.listServices(),
    gateways: engine.listFixGateways().map(({ gatewayName: gateway }) => ({
      detail: engine.getFixGateway({ gateway }),
      sessions: engine
        .listFixSessions({ gateway })
        .map(({ sessionId: session }) => engine.getFixSession({ gateway, session })),
    })),
  };
}

/** Two minutes of activity with operators at work. */
function drive(run: Run): Run {
  const { engine, clock } = run;
  engine.start();
  clock.advance(40_000);
  engine.haltTrading({ projectionPath: "Account[GOLD]", reason: "drill", cancelOrders: false });
  engine.disableService({ name: "SIM", reason: "" });
  engine.disconnectFixSession({ gateway: "OE1", session: "FIXCLIENT1" });
  clock.advance(40_000);
  engine.haltTrading({ projectionPath: "", reason: "drill", cancelOrders: true });
  clock.advance(1_000);
  engine.resumeTrading({ projectionPath: "", reason: "over" });
  engine.adjustPosition({ projectionPath: "Account[GOLD]/Symbol[AAPL]", size: "0", relative: false });
  clock.advance(39_000);
  return run;
}

function countByKind(events: readonly OrderEvent[]): Record<OrderEvent["kind"], number> {
  const counts = { accepted: 0, refused: 0, filled: 0, cancelled: 0, replaced: 0 };
  for (const { kind } of events) counts[kind] += 1;
  return counts;
}

describe("activity", () => {
  test("is the same in every respect in two runs with one seed", () => {
    expect(observed(drive(prepare(sample)))).toEqual(observed(drive(prepare(sample))));
  });

  test("differs with another seed", () => {
    expect(observed(drive(prepare(sample, { seed: 1 })))).not.toEqual(observed(drive(prepare(sample, { seed: 2 }))));
  });

  test("takes the seed of the installation by default", () => {
    const seeded = observed(drive(prepare(sample, { seed: sample.seed })));
    expect(seeded).toEqual(observed(drive(prepare(sample))));
  });

  test("is lively with the sample: most orders pass, limits refuse some, positions and sessions move", () => {
    const run = prepare(sample);
    run.engine.start();
    run.clock.advance(600_000);
    const { accepted, refused, filled, cancelled } = countByKind(run.events);
    expect(accepted).toBeGreaterThan(1000);
    expect(filled).toBeGreaterThan(500);
    expect(cancelled).toBeGreaterThan(100);
    expect(refused).toBeGreaterThan(5);
    expect(refused).toBeLessThan(accepted / 5);
    const reasons = run.events.flatMap((event) => (event.kind === "refused" ? [event.reason] : []));
    for (const reason of reasons) expect(reason).toMatch(/^(50\d\d )?MAX_/);
    for (const projection of sample.positions.projections) {
      expect(positionsOf(run.engine, { projection }).some(({ size }) => size !== "0")).toBe(true);
    }
    for (const { gatewayName } of run.engine.listFixGateways()) {
      expect(run.engine.getFixGateway({ gateway: gatewayName }).messagesSent).toBeGreaterThan(100);
    }
    expect(run.engine.getFixGateway({ gateway: "OE1" }).rejectedConnections).toBeGreaterThan(0);
    expect(run.engine.getFixSession({ gateway: "OE1", session: "LEGACY" }).status).toBe("Disabled");
  });

  test("returns outputs in the form of the operation table", () => {
    const run = drive(prepare(sample));
    for (const projection of sample.positions.projections) {
      const answer = run.engine.listPositions({ projection });
      expect(operations.listPositions.output.safeParse(answer).error).toBeUndefined();
    }
    for (const projection of Object.keys(sample.risk.tables)) {
      expect(operations.getRiskTable.output.safeParse(run.engine.getRiskTable({ projection })).error).toBeUndefined();
    }
    expect(operations.listServices.output.parse(run.engine.listServices())).toEqual(run.engine.listServices());
  });

  test("lets sessions lose their connection and log on again", () => {
    const run = prepare(sample);
    const before = run.engine.getFixGateway({ gateway: "MD1" }).acceptedConnections;
    run.engine.start();
    run.clock.advance(900_000);
    expect(run.engine.getFixGateway({ gateway: "MD1" }).acceptedConnections).toBeGreaterThan(before ?? Number.NaN);
    const sessions = run.engine
      .listFixSessions({ gateway: "MD1" })
      .map(({ sessionId }) => run.engine.getFixSession({ gateway: "MD1", session: sessionId }));
    expect(sessions.some(({ disconnectTimestamp }) => disconnectTimestamp !== null)).toBe(true);
  });

  test("stops under a system-wide halt with cancelOrders: nothing works and nothing is accepted", () => {
    const run = prepare(sample);
    run.engine.start();
    run.clock.advance(30_000);
    expect(run.engine.workingOrders().length).toBeGreaterThan(0);
    run.engine.haltTrading({ projectionPath: "", reason: "drill", cancelOrders: true });
    run.clock.advance(sample["control-delay"]);
    expect(run.engine.workingOrders()).toEqual([]);
    const from = run.events.length;
    run.clock.advance(30_000);
    expect(run.events.length).toBeGreaterThan(from);
    expect(run.events.slice(from).every(({ kind }) => kind === "refused")).toBe(true);
  });

  test("is not scheduled when it is off", () => {
    const { engine, clock } = prepare({ ...sample, activity: "off" });
    engine.start();
    expect(clock.pending).toBe(0);
    engine.stop();
  });

  test("begins with start, not with construction, beats once if started twice, and leaves nothing behind on stop", () => {
    const { engine, clock, events } = prepare(sample);
    expect(clock.pending).toBe(0);
    engine.start();
    engine.start();
    expect(clock.pending).toBe(1);
    clock.advance(10_000);
    engine.stop();
    expect(clock.pending).toBe(0);
    const before = events.length;
    clock.advance(10_000);
    expect(events).toHaveLength(before);
    engine.start();
    clock.advance(10_000);
    expect(events.length).toBeGreaterThan(before);
  });

  test("keeps prices within 10 % of the installation's", () => {
    const instrument = {
      exchange: "X",
      currency: "USD",
      price: "100",
      "tick-size": "4",
      "lot-size": "1",
      multiplier: "1",
    };
    const { clock, engine, events } = prepare({ ...plain(), instruments: { COARSE: instrument }, activity: "on" });
    engine.start();
    clock.advance(600_000);
    const prices = events.flatMap((event) => (event.kind === "filled" ? [Number(event.trade.price)] : []));
    expect(Math.max(...prices)).toBe(108);
    expect(Math.min(...prices)).toBe(92);
  });

  test("does nothing over an installation that has nothing to trade", () => {
    const { engine, clock, events } = prepare({ ...plain(), instruments: {}, activity: "on" });
    engine.start();
    clock.advance(10_000);
    expect(events).toEqual([]);
  });
});

describe("bounded state", () => {
  test("max-working-orders: further orders are refused, and pass again when one is done", () => {
    const { engine } = prepare({ ...plain(), "max-working-orders": 2 });
    const request = { symbol: "AAPL", side: "Buy", size: "1", attributes: { Destination: "SIM" } } as const;
    const first = engine.submitOrder(request);
    engine.submitOrder(request);
    expect(engine.submitOrder(request)).toEqual({
      accepted: false,
      reason: "the engine holds 2 working orders already",
    });
    if (first.accepted) engine.cancelOrder(first.order.id);
    expect(engine.submitOrder(request).accepted).toBe(true);
  });

  test("max-working-orders: the generator stays below it", () => {
    const { engine, clock, events } = prepare({ ...sample, "max-working-orders": 3 });
    engine.start();
    for (let second = 0; second < 120; second += 1) {
      clock.advance(1000);
      expect(engine.workingOrders().length).toBeLessThanOrEqual(3);
    }
    expect(events.some((event) => event.kind === "refused" && event.reason.includes("working orders already"))).toBe(
      false,
    );
  });

  test("kept-trades: only the latest are kept, and positions do not depend on it", () => {
    const few = prepare({ ...sample, "kept-trades": 5 });
    const none = prepare({ ...sample, "kept-trades": 0 });
    for (const run of [few, none]) {
      run.engine.start();
      run.clock.advance(120_000);
    }
    const trades = few.events.flatMap((event) => (event.kind === "filled" ? [event.trade] : []));
    expect(trades.length).toBeGreaterThan(50);
    expect(few.engine.trades()).toEqual(trades.slice(-5));
    expect(none.engine.trades()).toEqual([]);
    for (const projection of sample.positions.projections) {
      expect(few.engine.listPositions({ projection })).toEqual(none.engine.listPositions({ projection }));
    }
  });
});
