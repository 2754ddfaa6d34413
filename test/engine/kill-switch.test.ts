import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Clock } from "../../src/core/clock.ts";
import { EngineRejection } from "../../src/engine/engine.ts";
import { ControlQueue } from "../../src/engine/simulated/engine-parts.ts";
import type { SimulatedEngine } from "../../src/engine/simulated/simulated-engine.ts";
import { accepted, bench, order, refusal } from "./fixture.ts";

const DELAY_MS = 5;

function halt(engine: SimulatedEngine, projectionPath: string, cancelOrders = false, reason = "drill"): void {
  expect(engine.haltTrading({ projectionPath, reason, cancelOrders })).toBeNull();
}

function resume(engine: SimulatedEngine, projectionPath: string, reason = "over"): void {
  expect(engine.resumeTrading({ projectionPath, reason })).toBeNull();
}

describe("kill switch", () => {
  test("States, D-VAL 9: a path that never had an event is not halted and has no reason", () => {
    const { engine } = bench();
    expect(engine.getTradingStatus({ projectionPath: "Account[NOBODY]/Symbol[A/B]" })).toEqual({
      projectionPath: "Account[NOBODY]/Symbol[A/B]",
      halted: false,
      reason: null,
    });
  });

  test("D-ENG 29: a halt that is repeated is one since the first, with the reason of the last", () => {
    const { engine, clock } = bench();
    halt(engine, "Account[GOLD]", false, "first");
    clock.advance(DELAY_MS);
    const [first] = engine.listHalts();
    clock.advance(60_000);
    halt(engine, "Account[GOLD]", false, "second");
    clock.advance(DELAY_MS);
    expect(engine.listHalts()).toEqual([{ ...first, reason: "second" }]);
    resume(engine, "Account[GOLD]");
    halt(engine, "Account[GOLD]");
    clock.advance(DELAY_MS);
    expect(engine.listHalts()[0]?.since).toBe(Number(first?.since) + 60_000 + DELAY_MS * 2);
  });

  test("States, D-ENG 5: a halt is acknowledged immediately and applied after the control delay", () => {
    const { engine, clock } = bench();
    halt(engine, "");
    clock.advance(DELAY_MS - 1);
    expect(engine.getTradingStatus({ projectionPath: "" }).halted).toBe(false);
    expect(refusal(engine, order())).toBeUndefined();
    clock.advance(1);
    expect(engine.getTradingStatus({ projectionPath: "" })).toEqual({
      projectionPath: "",
      halted: true,
      reason: "drill",
    });
    expect(refusal(engine, order())).toBe("5000 TRADING_IS_HALTED: trading is halted system-wide: drill");
  });

  test("installation: control-delay is a setting", () => {
    const { engine, clock } = bench("control-delay: 2s");
    halt(engine, "");
    clock.advance(1999);
    expect(engine.getTradingStatus({ projectionPath: "" }).halted).toBe(false);
    clock.advance(1);
    expect(engine.getTradingStatus({ projectionPath: "" }).halted).toBe(true);
  });

  test("States: commands apply in the order in which they came, even when timers fire out of order", () => {
    const tasks: (() => void)[] = [];
    const clock: Clock = {
      now: () => 0,
      monotonic: () => 0,
      schedule(_, task) {
        tasks.push(task);
        return () => {};
      },
    };
    const queue = new ControlQueue(clock, DELAY_MS);
    const applied: string[] = [];
    queue.push(() => applied.push("halt"));
    queue.push(() => applied.push("resume"));
    for (const task of tasks.toReversed()) task();
    expect(applied).toEqual(["halt", "resume"]);
  });

  test("States: resume after halt ends resumed, halt after resume ends halted", () => {
    const { engine, clock } = bench();
    halt(engine, "Account[GOLD]");
    resume(engine, "Account[GOLD]");
    resume(engine, "Account[SILVER]");
    halt(engine, "Account[SILVER]");
    clock.advance(DELAY_MS);
    expect(engine.getTradingStatus({ projectionPath: "Account[GOLD]" })).toMatchObject({
      halted: false,
      reason: "over",
    });
    expect(engine.getTradingStatus({ projectionPath: "Account[SILVER]" })).toMatchObject({ halted: true });
  });

  test("Kill switch state: the reason is that of the last event, also when a halted path is halted again", () => {
    const { engine, clock } = bench();
    halt(engine, "Account[GOLD]", false, "first");
    halt(engine, "Account[GOLD]", false, "second");
    clock.advance(DELAY_MS);
    expect(engine.getTradingStatus({ projectionPath: "Account[GOLD]" })).toMatchObject({
      halted: true,
      reason: "second",
    });
    resume(engine, "Account[GOLD]");
    clock.advance(DELAY_MS);
    expect(refusal(engine, order())).toBeUndefined();
  });

  test("D-ENG 7: orders are refused under a halted ancestor, others pass", () => {
    const { engine, clock } = bench();
    halt(engine, "Source[SRC1]/Account[GOLD]");
    clock.advance(DELAY_MS);
    expect(refusal(engine, order())).toBe(
      "5013 SYMBOL_TRADING_IS_HALTED: trading is halted at Source[SRC1]/Account[GOLD]: drill",
    );
    expect(refusal(engine, order({}, { Account: "SILVER" }))).toBeUndefined();
    expect(refusal(engine, order({}, { Source: "SRC2" }))).toBeUndefined();
  });

  test("D-ENG 7: an order without the attribute does not belong to the node", () => {
    const { engine, clock } = bench();
    halt(engine, "Trader[asmith]");
    clock.advance(DELAY_MS);
    expect(refusal(engine, order())).toBeUndefined();
    expect(refusal(engine, order({}, { Trader: "asmith" }))).toContain("Trader[asmith]");
  });

  test.each([
    "Symbol[ESZ26]",
    "RootSymbol[ES]",
    "Currency[USD]",
    "Exchange[CME]",
    "TraderGroup[Equities]",
    "Destination[SIM]",
  ])("domain: %s is known from the instrument, the trader or the order", (path) => {
    const { engine, clock } = bench();
    halt(engine, path);
    clock.advance(DELAY_MS);
    expect(refusal(engine, order({ symbol: "ESZ26" }, { Trader: "asmith" }))).toContain(path);
  });

  test("D-ENG 7: the status of a path is its own, not that of its ancestors", () => {
    const { engine, clock } = bench();
    halt(engine, "");
    clock.advance(DELAY_MS);
    expect(engine.getTradingStatus({ projectionPath: "Account[GOLD]" }).halted).toBe(false);
  });

  test("D-ENG 7: resuming the root leaves halts of nodes in place", () => {
    const { engine, clock } = bench();
    halt(engine, "");
    halt(engine, "Account[GOLD]");
    resume(engine, "");
    clock.advance(DELAY_MS);
    expect(engine.getTradingStatus({ projectionPath: "" }).halted).toBe(false);
    expect(engine.getTradingStatus({ projectionPath: "Account[GOLD]" }).halted).toBe(true);
    expect(refusal(engine, order())).toContain("Account[GOLD]");
    expect(refusal(engine, order({}, { Account: "SILVER" }))).toBeUndefined();
  });

  test("kill switch: the order of segments does not matter, the reply spells the path as asked", () => {
    const { engine, clock } = bench();
    halt(engine, "Symbol[EUR/USD]/Account[GOLD]");
    clock.advance(DELAY_MS);
    const projectionPath = "Account[GOLD]/Symbol[EUR/USD]";
    expect(engine.getTradingStatus({ projectionPath })).toEqual({ projectionPath, halted: true, reason: "drill" });
  });

  test("States: cancels pass while trading is halted", () => {
    const { engine, clock } = bench();
    const id = accepted(engine, order());
    halt(engine, "");
    clock.advance(DELAY_MS);
    expect(engine.workingOrders()).toHaveLength(1);
    expect(engine.cancelOrder(id)).toBe(true);
    expect(engine.cancelOrder(id)).toBe(false);
    expect(engine.workingOrders()).toEqual([]);
  });

  test("D-ENG 6: cancelOrders cancels all working orders when a system-wide halt is applied", () => {
    const { engine, clock, events } = bench();
    accepted(engine, order());
    halt(engine, "", true);
    accepted(engine, order({ side: "Sell" }, { Account: "SILVER" }));
    expect(engine.workingOrders()).toHaveLength(2);
    clock.advance(DELAY_MS);
    expect(engine.workingOrders()).toEqual([]);
    expect(events.filter(({ kind }) => kind === "cancelled")).toHaveLength(2);
  });

  test("D-ENG 6: a system-wide halt without cancelOrders, and a node's halt with it, cancel nothing", () => {
    const { engine, clock } = bench();
    accepted(engine, order());
    halt(engine, "", false);
    halt(engine, "Account[GOLD]", true);
    clock.advance(DELAY_MS);
    expect(engine.workingOrders()).toHaveLength(1);
  });

  test.each(["Nope[1]", "Account[]", "Account[A]/Account[B]", "Account"])("a malformed path %s is rejected", (path) => {
    const { engine, clock } = bench();
    for (const act of [
      () => engine.getTradingStatus({ projectionPath: path }),
      () => engine.haltTrading({ projectionPath: path, reason: "", cancelOrders: false }),
      () => engine.resumeTrading({ projectionPath: path, reason: "" }),
    ]) {
      expect(act).toThrow(EngineRejection);
    }
    expect(clock.pending).toBe(0);
  });

  test("D-VAL 2: projection-keys adds keys of the installation's own", () => {
    const { engine, clock } = bench("projection-keys: [Desk]");
    halt(engine, "Desk[NY]");
    clock.advance(DELAY_MS);
    expect(refusal(engine, order({}, { Desk: "NY" }))).toContain("Desk[NY]");
    expect(refusal(engine, order({}, { Desk: "LN" }))).toBeUndefined();
  });

  test("property: refused exactly when a naive search finds a halted path that the order matches", () => {
    const values = {
      Source: ["SRC1", "SRC2"],
      Account: ["GOLD", "SILVER"],
      Trader: ["asmith", "bjones"],
      Symbol: ["AAPL", "EUR/USD"],
    };
    const segment = fc
      .constantFrom(...(Object.keys(values) as (keyof typeof values)[]))
      .chain((key) => fc.constantFrom(...values[key]).map((value) => ({ key, value })));
    const path = fc.uniqueArray(segment, { selector: ({ key }) => key, maxLength: 3 });
    const command = fc.record({ path, halted: fc.boolean() });
    const request = fc.record({
      Source: fc.constantFrom(...values.Source),
      Account: fc.constantFrom(...values.Account),
      Trader: fc.option(fc.constantFrom(...values.Trader), { nil: undefined }),
      symbol: fc.constantFrom(...values.Symbol),
    });
    fc.assert(
      fc.property(fc.array(command, { maxLength: 12 }), request, (commands, { symbol, Trader, ...rest }) => {
        const { engine, clock } = bench();
        const reference = new Map<string, { segments: { key: string; value: string }[]; halted: boolean }>();
        for (const { path: segments, halted } of commands) {
          const text = segments.map(({ key, value }) => `${key}[${value}]`);
          reference.set(text.toSorted().join("/"), { segments, halted });
          if (halted) halt(engine, text.join("/"));
          else resume(engine, text.join("/"));
        }
        clock.advance(DELAY_MS);
        const attributes: Record<string, string> = { ...rest, ...(Trader && { Trader }) };
        const seen: Record<string, string> = { ...attributes, Symbol: symbol };
        const expected = [...reference.values()].some(
          ({ segments, halted }) => halted && segments.every(({ key, value }) => seen[key] === value),
        );
        expect(refusal(engine, order({ symbol }, attributes)) !== undefined).toBe(expected);
      }),
    );
  });
});
