import { describe, expect, test } from "vitest";
import { service } from "../../src/core/operations/services.ts";
import { EngineRejection } from "../../src/engine/engine.ts";
import { accepted, bench, order, refusal, thrown } from "./fixture.ts";

describe("services", () => {
  test("GET /services, D-VAL 9: connectors with their status, algorithms without, as configured", () => {
    const { engine } = bench();
    expect(engine.listServices()).toEqual([
      { name: "SIM", type: "Connector", system: false, dma: true, enabled: true, status: "Connected" },
      { name: "OFFLINE", type: "Connector", system: false, dma: true, enabled: true, status: "Disconnected" },
      { name: "TWAP", type: "Algorithm", system: false, dma: false, enabled: true, status: null },
      { name: "TRACK", type: "Algorithm", system: true, dma: false, enabled: true, status: null },
    ]);
    for (const one of engine.listServices()) expect(service().strict().parse(one)).toEqual(one);
  });

  test("States: disable and enable apply immediately and may be repeated", () => {
    const { engine } = bench();
    for (const enabled of [false, false, true, true]) {
      const act = enabled ? engine.enableService : engine.disableService;
      expect(act.call(engine, { name: "SIM", reason: "test" })).toBeNull();
      expect(engine.getService({ name: "SIM" }).enabled).toBe(enabled);
      expect(engine.getService({ name: "TWAP" }).enabled).toBe(true);
    }
  });

  test("Service: a disabled service accepts no orders; its working orders stay and can be cancelled", () => {
    const { engine } = bench();
    const id = accepted(engine, order());
    engine.disableService({ name: "SIM", reason: "" });
    expect(refusal(engine, order())).toBe('service "SIM" is disabled');
    expect(refusal(engine, order({}, { Destination: "TWAP" }))).toBeUndefined();
    expect(engine.cancelOrder(id)).toBe(true);
    engine.enableService({ name: "SIM", reason: "" });
    expect(refusal(engine, order())).toBeUndefined();
  });

  test.each([
    ["TRACK", 'system algorithm "TRACK" accepts no orders'],
    ["OFFLINE", 'connector "OFFLINE" is disconnected'],
    ["NOWHERE", 'unknown destination "NOWHERE"'],
  ])("Service: orders to %s are refused", (Destination, reason) => {
    const { engine } = bench();
    expect(refusal(engine, order({}, { Destination }))).toBe(reason);
  });

  test("Service: an order needs a destination", () => {
    const { engine } = bench();
    const reason = refusal(engine, { ...order(), attributes: { Source: "SRC1", Account: "GOLD" } });
    expect(reason).toBe("the order names no Destination");
  });

  test("Errors, 404: an unknown service is not found", () => {
    const { engine } = bench();
    const expected = new EngineRejection("not-found", 'Unknown service "sim"');
    for (const act of [
      () => engine.getService({ name: "sim" }),
      () => engine.disableService({ name: "sim", reason: "" }),
      () => engine.enableService({ name: "sim", reason: "" }),
    ]) {
      const error = thrown(act);
      expect(error).toEqual(expected);
      expect(error).toHaveProperty("refusal", "not-found");
    }
  });
});

describe("orders", () => {
  test.each([
    [{ symbol: "NOPE" }, {}, 'unknown symbol "NOPE"'],
    [{ size: "0" }, {}, 'size: "0" is not a decimal greater than zero'],
    [{ size: "-1" }, {}, 'size: "-1" is not a decimal greater than zero'],
    [{ size: "1e3" }, {}, 'size: "1e3" is not a decimal greater than zero'],
    [{ price: "dear" }, {}, 'price: "dear" is not a decimal'],
    [{}, { Acount: "GOLD" }, 'unknown projection key "Acount"'],
    [{}, { Trader: "" }, 'Trader: "" cannot stand in a projection path'],
    [{}, { Trader: "a]/b" }, 'Trader: "a]/b" cannot stand in a projection path'],
  ])("an order with %j %j is refused", (changes, attributes: Record<string, string>, reason) => {
    const { engine, events } = bench();
    expect(refusal(engine, order(changes, attributes))).toBe(reason);
    expect(events).toMatchObject([{ kind: "refused", reason }]);
    expect(engine.workingOrders()).toEqual([]);
  });

  test("working orders show what is left; trades name order, price and commission", () => {
    const { engine, clock, events } = bench("commission-rate: 0.001");
    const timestamp = clock.now();
    const id = accepted(engine, order({ size: "10", price: "99.50" }, { Symbol: "MSFT", Trader: "asmith" }));
    clock.advance(7);
    engine.fillOrder(id, "4", "99");
    const attributes = {
      Source: "SRC1",
      Account: "GOLD",
      Destination: "SIM",
      Trader: "asmith",
      TraderGroup: "Equities",
      Symbol: "AAPL",
      Currency: "USD",
      Exchange: "NASDAQ",
    };
    const common = { symbol: "AAPL", side: "Buy", attributes };
    expect(engine.workingOrders()).toEqual([{ ...common, id, size: "10", price: "99.5", openSize: "6", timestamp }]);
    const expected = {
      ...common,
      id: "1",
      orderId: id,
      size: "4",
      price: "99",
      commission: "0.396",
      timestamp: timestamp + 7,
    };
    expect(engine.trades()).toEqual([expected]);
    expect(events.map(({ kind }) => kind)).toEqual(["accepted", "filled"]);
  });

  test("fills and prices that make no sense are errors of the caller", () => {
    const { engine } = bench();
    const id = accepted(engine, order());
    for (const size of ["0", "11", "-1"]) expect(() => engine.fillOrder(id, size, "1")).toThrow(RangeError);
    expect(() => engine.fillOrder("nope", "1", "1")).toThrow(RangeError);
    expect(() => engine.setMarketPrice("NOPE", "1")).toThrow(RangeError);
    expect(engine.trades()).toEqual([]);
  });
});
