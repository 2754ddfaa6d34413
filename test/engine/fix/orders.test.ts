import { describe, expect, test } from "vitest";
import { parseInstallation } from "../../../src/engine/simulated/installation.ts";
import { type FixClient, limitOrder } from "../../support/fix-client.ts";
import { PLAIN } from "../fixture.ts";
import { type FixBench, fixBench, fixBenchOf, GATEWAYS } from "./fixture.ts";

async function loggedOn(...parts: string[]): Promise<FixBench & { client: FixClient }> {
  const bench = await fixBench(...parts);
  return { ...bench, client: await bench.logOn() };
}

const LIMITS = `
risk:
  tables:
    Account:
      limits: [MaxOrderSize, MaxOpenOrdersCount]
      rows: [{ conditions: { Account: GOLD }, limits: { MaxOrderSize: 500, MaxOpenOrdersCount: 2 } }]
`;

describe("new orders (D)", () => {
  test("become orders of the engine, and what happens to them is reported", async () => {
    const { client, engine } = await loggedOn();
    client.send("D", limitOrder("A", { 100: "TWAP" }), { header: [[50, "bjones"]] });
    expect(await client.expect("8")).toMatchObject({
      ...{ 11: "A", 17: "1", 150: "0", 39: "0", 55: "AAPL", 54: "1", 38: "100", 40: "2", 44: "100", 1: "GOLD" },
      ...{ 151: "100", 14: "0", 6: "0" },
    });
    const [working] = engine.workingOrders();
    expect(working).toMatchObject({
      ...{ symbol: "AAPL", side: "Buy", size: "100", price: "100" },
      attributes: { Source: "FIXCLIENT1", Account: "GOLD", Trader: "bjones", Destination: "TWAP" },
    });
    engine.fillOrder(working?.id ?? "", "25", "99");
    const partly = { 11: "A", 37: working?.id, 150: "F", 39: "1", 32: "25", 31: "99", 151: "75", 14: "25", 6: "99" };
    expect(await client.expect("8")).toMatchObject(partly);
    engine.fillOrder(working?.id ?? "", "75", "100");
    expect(await client.expect("8")).toMatchObject({ 150: "F", 39: "2", 32: "75", 151: "0", 14: "100", 6: "99.75" });
  });

  test("a market order has no price", async () => {
    const { client, engine } = await loggedOn();
    client.send("D", limitOrder("A", { 40: 1 }));
    expect((await client.expect("8"))[44]).toBeUndefined();
    expect(engine.workingOrders()[0]).not.toHaveProperty("price");
  });

  test("what an order does not say is the first account, trader and connector of the installation", async () => {
    const { client, engine } = await loggedOn();
    client.send(
      "D",
      limitOrder("A").filter(([tag]) => tag !== 1),
    );
    await client.expect("8");
    const attributes = { Account: "GOLD", Trader: "asmith", TraderGroup: "Equities", Destination: "SIM" };
    expect(engine.workingOrders()[0]?.attributes).toMatchObject(attributes);
  });

  test("are refused with the reason and a code: limits, symbols, services, what is not supported, ids that were used", async () => {
    const { client, engine } = await loggedOn(LIMITS);
    const refusal = async (changes: Record<number, string | number>): Promise<unknown[]> => {
      client.send("D", limitOrder(`R${client.next}`, changes));
      const { 37: orderId, 150: execType, 39: status, 151: leaves, 103: code, 58: text } = await client.expect("8");
      expect([orderId, execType, status, leaves]).toEqual(["NONE", "8", "8", "0"]);
      return [code, text];
    };
    expect(await refusal({ 38: 501 })).toEqual(["3", expect.stringContaining("5001 MAX_ORDER_SIZE: order size 501")]);
    expect(await refusal({ 1: "SILVER" })).toEqual(["3", expect.stringContaining("5014 NO_RISK_LIMIT")]);
    expect(await refusal({ 55: "NOPE" })).toEqual(["1", 'unknown symbol "NOPE"']);
    expect(await refusal({ 100: "OFFLINE" })).toEqual(["99", 'connector "OFFLINE" is disconnected']);
    expect(await refusal({ 38: 0 })).toEqual(["99", expect.stringContaining('size: "0" is')]);
    expect(await refusal({ 54: 5 })).toEqual(["11", "Side 5 is not supported: 1 buys, 2 sells"]);
    expect(await refusal({ 40: "P" })).toEqual(["11", "OrdType P is not supported: 1 is market, 2 is limit"]);
    expect(await refusal({ 59: 3 })).toEqual(["11", expect.stringContaining("TimeInForce 3 is not supported")]);
    expect(await refusal({ 11: "R2" })).toEqual(["6", "ClOrdID R2 has been used"]);
    expect(engine.workingOrders()).toEqual([]);
  });

  test("refusals of the MAX_ORDER_NOTIONAL kind are limits, too", async () => {
    const { client } = await loggedOn(
      LIMITS.replaceAll("MaxOrderSize: 500", "MaxOrderNotional: 10").replace("MaxOrderSize", "MaxOrderNotional"),
    );
    client.send("D", limitOrder("A"));
    expect(await client.expect("8")).toMatchObject({ 103: "3", 58: expect.stringContaining("MAX_ORDER_NOTIONAL") });
  });

  test.each([
    ["14B: a required field that is missing", { 55: "" }, "3", { 371: "55", 373: "1" }],
    ["14E: a Side that FIX does not have", { 54: "X" }, "3", { 371: "54", 373: "5" }],
    ["14F: an OrderQty that is no number", { 38: "many" }, "3", { 371: "38", 373: "6" }],
    ["a limit order without a price", { 44: "" }, "j", { 372: "D", 380: "5" }],
  ] as const)("case %s is rejected, and nothing is ordered", async (_, changes, type, expected) => {
    const { client, engine } = await loggedOn();
    client.send(
      "D",
      limitOrder("A", changes).filter(([, value]) => value !== ""),
    );
    expect(await client.expect(type)).toMatchObject({ 45: "2", ...expected });
    await client.sync();
    expect(engine.workingOrders()).toEqual([]);
  });

  test("case 19: an order with PossResend is ignored when its ClOrdID is known, and taken when it is not", async () => {
    const { client, engine } = await loggedOn();
    client.send("D", limitOrder("A"));
    await client.expect("8");
    client.send("D", limitOrder("A"), { header: [[97, "Y"]] });
    await client.sync();
    client.send("D", limitOrder("B"), { header: [[97, "Y"]] });
    expect(await client.expect("8")).toMatchObject({ 11: "B", 150: "0" });
    expect(engine.workingOrders()).toHaveLength(2);
  });

  test("case 15: fields of the body may come in any order", async () => {
    const { client } = await loggedOn();
    client.send("D", limitOrder("A").toReversed());
    expect(await client.expect("8")).toMatchObject({ 11: "A", 150: "0" });
  });
});

describe("cancels (F) and replacements (G)", () => {
  test("a cancel is reported under its own ClOrdID, halted or not", async () => {
    const { client, engine, clock } = await loggedOn();
    client.send("D", limitOrder("A"));
    await client.expect("8");
    engine.haltTrading({ projectionPath: "", reason: "drill", cancelOrders: false });
    clock.advance(5);
    client.send("F", [
      [41, "A"],
      [11, "B"],
      [55, "AAPL"],
      [54, 1],
    ]);
    expect(await client.expect("8")).toMatchObject({ 11: "B", 41: "A", 150: "4", 39: "4", 151: "0" });
    expect(engine.workingOrders()).toEqual([]);
  });

  test("a cancel of an order that is unknown, has ended, or under an id that was used is rejected (9)", async () => {
    const { client, engine } = await loggedOn();
    const cancel = async (orig: string, id: string): Promise<unknown> => {
      client.send("F", [
        [41, orig],
        [11, id],
        [55, "AAPL"],
        [54, 1],
      ]);
      return client.expect("9");
    };
    expect(await cancel("X", "B")).toMatchObject({ 37: "NONE", 11: "B", 41: "X", 39: "8", 434: "1", 102: "1" });
    client.send("D", limitOrder("A"));
    await client.expect("8");
    expect(await cancel("A", "A")).toMatchObject({ 39: "0", 102: "6" });
    engine.fillOrder(engine.workingOrders()[0]?.id ?? "", "100", "100");
    await client.expect("8");
    expect(await cancel("A", "C")).toMatchObject({ 37: "1", 39: "2", 102: "0", 58: "The order has ended" });
  });

  test("orders of another session are unknown", async () => {
    const { client, logOn, engine } = await loggedOn();
    const other = await logOn("FIXCLIENT2");
    client.send("D", limitOrder("A"));
    await client.expect("8");
    other.send("F", [
      [41, "A"],
      [11, "B"],
      [55, "AAPL"],
      [54, 1],
    ]);
    expect(await other.expect("9")).toMatchObject({ 102: "1" });
    other.send("D", limitOrder("A"));
    expect(await other.expect("8")).toMatchObject({ 150: "0" });
    expect(engine.workingOrders().map(({ attributes }) => attributes.Source)).toEqual(["FIXCLIENT1", "desk 2"]);
  });

  test("a replacement has the new size and price, counts what was filled, and can be cancelled by its new id", async () => {
    const { client, engine } = await loggedOn(LIMITS);
    client.send("D", limitOrder("A"));
    await client.expect("8");
    engine.fillOrder("1", "30", "100");
    await client.expect("8");
    client.send("G", [[41, "A"], ...limitOrder("B", { 38: 200, 44: 98 })]);
    const replaced = { 11: "B", 41: "A", 150: "5", 39: "1", 38: "200", 44: "98", 14: "30", 151: "170" };
    expect(await client.expect("8")).toMatchObject(replaced);
    expect(engine.workingOrders()).toMatchObject([{ id: "1", size: "200", price: "98", openSize: "170" }]);
    client.send("F", [
      [41, "B"],
      [11, "C"],
      [55, "AAPL"],
      [54, 1],
    ]);
    expect(await client.expect("8")).toMatchObject({ 11: "C", 41: "B", 150: "4", 14: "30" });
  });

  test.each([
    ["a limit", { 38: 501 }, "5001 MAX_ORDER_SIZE"],
    ["a size that was filled already", { 38: 30 }, "is not more than what has been filled"],
    ["another symbol", { 55: "MSFT" }, "cannot be replaced"],
    ["another side", { 54: 2 }, "cannot be replaced"],
    ["a type that is not supported", { 40: "P" }, "OrdType P"],
  ])("a replacement that is refused, by %s, leaves the order as it was (9)", async (_, changes, text) => {
    const { client, engine } = await loggedOn(LIMITS);
    client.send("D", limitOrder("A"));
    await client.expect("8");
    engine.fillOrder("1", "30", "100");
    await client.expect("8");
    const before = engine.workingOrders();
    client.send("G", [[41, "A"], ...limitOrder("B", changes)]);
    expect(await client.expect("9")).toMatchObject({
      37: "1",
      11: "B",
      41: "A",
      434: "2",
      58: expect.stringContaining(text),
    });
    expect(engine.workingOrders()).toEqual(before);
    client.send("F", [
      [41, "A"],
      [11, "B"],
      [55, "AAPL"],
      [54, 1],
    ]);
    expect(await client.expect("8")).toMatchObject({ 11: "B", 41: "A", 150: "4" });
  });

  test("a replacement while trading is halted is refused with the halt's reason", async () => {
    const { client, engine, clock } = await loggedOn();
    client.send("D", limitOrder("A"));
    await client.expect("8");
    engine.haltTrading({ projectionPath: "Account[GOLD]", reason: "limit breach", cancelOrders: false });
    clock.advance(5);
    client.send("G", [[41, "A"], ...limitOrder("B", { 38: 50 })]);
    expect((await client.expect("9"))[58]).toContain("limit breach");
    expect(engine.workingOrders()).toMatchObject([{ size: "100" }]);
  });

  test("limits count a replaced order once", async () => {
    const { client } = await loggedOn(LIMITS);
    for (const id of ["A", "B"]) {
      client.send("D", limitOrder(id));
      await client.expect("8");
    }
    client.send("G", [[41, "A"], ...limitOrder("C", { 38: 500 })]);
    expect(await client.expect("8")).toMatchObject({ 150: "5" });
    client.send("D", limitOrder("D"));
    expect((await client.expect("8"))[58]).toContain("MAX_OPEN_ORDERS_COUNT");
  });

  test("a replacement by a program is reported to the client", async () => {
    const { client, engine } = await loggedOn();
    client.send("D", limitOrder("A"));
    await client.expect("8");
    engine.replaceOrder("1", { size: "60" });
    expect(await client.expect("8")).toMatchObject({ 11: "A", 150: "5", 38: "60", 40: "1", 151: "60" });
  });
});

describe("halts", () => {
  test.each([
    ["system-wide", "", "5000 TRADING_IS_HALTED: trading is halted system-wide: drill"],
    ["of an account", "Account[GOLD]", "5013 SYMBOL_TRADING_IS_HALTED: trading is halted at Account[GOLD]: drill"],
    ["of the session", "Source[FIXCLIENT1]", "trading is halted at Source[FIXCLIENT1]: drill"],
  ])("a halt %s refuses orders with its reason, until the resume", async (_, projectionPath, text) => {
    const { client, engine, clock } = await loggedOn();
    engine.haltTrading({ projectionPath, reason: "drill", cancelOrders: false });
    clock.advance(5);
    client.send("D", limitOrder("A"));
    expect(await client.expect("8")).toMatchObject({ 150: "8", 39: "8", 103: "0", 58: expect.stringContaining(text) });
    engine.resumeTrading({ projectionPath, reason: "over" });
    clock.advance(5);
    client.send("D", limitOrder("B"));
    expect(await client.expect("8")).toMatchObject({ 150: "0" });
  });

  test("D-ENG 37: an order that arrives after a halt was accepted, and before it is applied, waits for it and is refused", async () => {
    const { client, engine, clock } = await loggedOn();
    engine.haltTrading({ projectionPath: "", reason: "drill", cancelOrders: false });
    client.send("D", limitOrder("A"));
    await expect.poll(() => client.socket.bytesWritten).toBe(client.bytesSent);
    expect(engine.workingOrders()).toEqual([]);
    clock.advance(5);
    expect(await client.expect("8")).toMatchObject({ 150: "8", 58: expect.stringContaining("drill") });
  });

  test("D-ENG 37: of 800 orders of two sessions none enters the market that arrives after the engine accepted a halt", async () => {
    const { engine, clock, client, logOn } = await loggedOn();
    const clients = [client, await logOn("FIXCLIENT2")];
    for (let count = 0; count < 200; count += 1) for (const each of clients) each.send("D", limitOrder(`${count}`));
    await expect.poll(() => engine.workingOrders().length).toBeGreaterThanOrEqual(1);
    engine.haltTrading({ projectionPath: "", reason: "drill", cancelOrders: false });
    const accepted = engine.workingOrders().length;
    for (let count = 200; count < 400; count += 1) for (const each of clients) each.send("D", limitOrder(`${count}`));
    clock.advance(5);
    let acknowledged = 0;
    for (const each of clients) {
      const types: (string | undefined)[] = [];
      for (let count = 0; count < 400; count += 1) types.push((await each.expect("8"))[150]);
      const taken = types.filter((type) => type === "0").length;
      expect(types).toEqual(types.map((_, at) => (at < taken ? "0" : "8")));
      acknowledged += taken;
    }
    expect([engine.workingOrders().length, acknowledged]).toEqual([accepted, accepted]);
  });

  test("cancelOrders of a system-wide halt cancels what clients have in the market", async () => {
    const { client, engine, clock } = await loggedOn();
    for (const id of ["A", "B"]) {
      client.send("D", limitOrder(id));
      await client.expect("8");
    }
    engine.haltTrading({ projectionPath: "", reason: "drill", cancelOrders: true });
    clock.advance(5);
    for (const id of ["A", "B"]) {
      expect(await client.expect("8")).toMatchObject({ 11: id, 150: "4", 39: "4", 151: "0" });
    }
  });

  test("a reason with the characters that separate fields stays one text", async () => {
    const { client, engine, clock } = await loggedOn();
    engine.haltTrading({ projectionPath: "", reason: "a\x01150=2\x01\u20ac", cancelOrders: false });
    clock.advance(5);
    client.send("D", limitOrder("A"));
    const report = await client.expect("8");
    expect(report[58]).toContain("a 150=2 ?");
    expect(report[150]).toBe("8");
  });
});

test("generated activity fills orders of clients, cancels none of them, and orders nothing in their name", async () => {
  const text = PLAIN.replace("activity: off", "activity: on").replace("[SRC1, SRC2]", "[FIXCLIENT1]");
  const { engine, clock, logOn } = await fixBenchOf(parseInstallation(`${text}${GATEWAYS}`, "test.yaml"));
  const client = await logOn();
  engine.start();
  client.send("D", limitOrder("A", { 44: 1 }));
  await client.expect("8");
  clock.advance(29_000);
  expect(engine.workingOrders()).toMatchObject([{ id: "1", openSize: "100" }]);
  client.send("D", limitOrder("B", { 44: 200 }));
  await client.expect("8");
  clock.advance(5_000);
  expect(await client.expect("8")).toMatchObject({ 11: "B", 150: "F" });
  expect(engine.trades().every(({ orderId }) => orderId === "2")).toBe(true);
  engine.stop();
});
