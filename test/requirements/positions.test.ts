import { describe, expect } from "vitest";
import { loadInstallation } from "../../src/engine/simulated/installation.ts";
import { sampleInstallation } from "../../src/files/package-files.ts";
import { verifies, verifiesHttp } from "../support/verifies.ts";
import type { World } from "../support/world.ts";
import { trade } from "./support/orders.ts";
import { EMPTY, expectEndpoint, expectError, expectOk, ok } from "./support/responses.ts";

const ALL_KEYS = "Source/Destination/Account/Trader/TraderGroup/Exchange/UserData/Symbol/ModuleKey/PortfolioKey";
const sample = await loadInstallation(sampleInstallation());
const installation = { ...sample, positions: { projections: [ALL_KEYS] } };

const CONFIGURED =
  "Account/Symbol, Exchange/Symbol, Source/Account/Symbol, Trader/Symbol, Account/RootSymbol, Account/Currency";
const GOLD = {
  projection: "Account[GOLD]/Symbol[AAPL]",
  account: "GOLD",
  symbol: "AAPL",
  size: "100",
  averageCost: "190.25",
  realizedPnL: "0",
  unrealizedPnL: "0",
  marketValue: "19025",
  totalCommission: "0.95125",
  openBuySize: "0",
  openSellSize: "0",
};

/** Paths of the positions that a request selects. */
async function paths(world: World, input: Readonly<Record<string, unknown>>): Promise<unknown[]> {
  const positions = await ok<{ projection: unknown }[]>(world.call("listPositions", input));
  return positions.map(({ projection }) => projection);
}

/** One trade that differs from the usual one in every key, one that does not. */
function tradeTwice(world: World): void {
  const usual = { UserData: "u1", ModuleKey: "m1", PortfolioKey: "p1" };
  const other = { Source: "WEBDESK", Destination: "NASDAQ1", Account: "SILVER", Trader: "ckhan" };
  trade(world, "190.25", { attributes: usual });
  trade(world, "182.46", {
    symbol: "SAP",
    attributes: { ...other, UserData: "u2", ModuleKey: "m2", PortfolioKey: "p2" },
  });
}

describe("POST /positions", () => {
  verifiesHttp("POSITIONS-ENDPOINT", async (world) => {
    trade(world, "190.25");
    const reply = await expectEndpoint(world, "listPositions");
    expect(JSON.parse(reply.body)).toHaveLength(1);
    expect(await world.http({ path: "/positions" })).toMatchObject({ status: 405 });
    expect(world.audit.records).toEqual([]);
    expect(new Set(world.gate.seen.map(({ method }) => method))).toEqual(new Set(["listPositions"]));
  });

  verifies("POSITIONS-PROJECTION", async (world) => {
    trade(world, "190.25");
    expect(await paths(world, { projection: "Exchange/Symbol" })).toEqual(["Exchange[NASDAQ]/Symbol[AAPL]"]);
    expectError(await world.call("listPositions"), 400, "projection: is required");
    expectError(await world.call("listPositions", { projection: 7 }), 400, "projection: must be a string");
    const reason = `"Destination/Symbol" is not a position projection; configured are: ${CONFIGURED}`;
    expectError(await world.call("listPositions", { projection: "Destination/Symbol" }), 400, reason);
  });

  verifies(
    "POSITIONS-FILTERS",
    async (world) => {
      tradeTwice(world);
      const [first, second] = await paths(world, { projection: ALL_KEYS });
      for (const [filter, value, other] of [
        ["source", "FIXCLIENT1", "WEBDESK"],
        ["destination", "SIM", "NASDAQ1"],
        ["account", "GOLD", "SILVER"],
        ["traderId", "asmith", "ckhan"],
        ["traderGroup", "Equities", "Futures"],
        ["exchange", "NASDAQ", "XETRA"],
        ["userData", "u1", "u2"],
        ["symbol", "AAPL", "SAP"],
        ["moduleKey", "m1", "m2"],
        ["portfolioKey", "p1", "p2"],
      ] as const) {
        expect(await paths(world, { projection: ALL_KEYS, [filter]: value })).toEqual([first]);
        expect(await paths(world, { projection: ALL_KEYS, [filter]: other })).toEqual([second]);
        const wrong = await world.call("listPositions", { projection: ALL_KEYS, [filter]: 7 });
        expectError(wrong, 400, `${filter}: must be a string`);
      }
    },
    { installation },
  );

  verifies("POSITIONS-NARROW", async (world) => {
    trade(world, "190.25");
    trade(world, "415.10", { symbol: "MSFT" });
    trade(world, "190.25", { attributes: { Account: "SILVER" } });
    const gold = ["Account[GOLD]/Symbol[AAPL]", "Account[GOLD]/Symbol[MSFT]"];
    const projection = "Account/Symbol";
    expect(await paths(world, { projection })).toEqual([...gold, "Account[SILVER]/Symbol[AAPL]"]);
    expect(await paths(world, { projection, account: "GOLD" })).toEqual(gold);
    expect(await paths(world, { projection, account: "GOLD", symbol: "MSFT" })).toEqual([gold[1]]);
    expect(await paths(world, { projection, account: "SILVER", symbol: "MSFT" })).toEqual([]);
  });

  verifies("POSITIONS-SYMBOL-FILTER", async (world) => {
    trade(world, "5012.25", { symbol: "ESZ26", size: "2" });
    trade(world, "182.46", { symbol: "SAP" });
    const symbol = (value: string, projection: string) => paths(world, { projection, symbol: value });
    expect(await symbol("ES", "Account/RootSymbol")).toEqual(["Account[GOLD]/RootSymbol[ES]"]);
    expect(await symbol("ESZ26", "Account/RootSymbol")).toEqual([]);
    expect(await symbol("USD", "Account/Currency")).toEqual(["Account[GOLD]/Currency[USD]"]);
    expect(await symbol("EUR", "Account/Currency")).toEqual(["Account[GOLD]/Currency[EUR]"]);
  });

  verifies("POSITIONS-ANSWER", async (world) => {
    expectOk(await world.call("listPositions", { projection: "Account/Symbol" }), []);
    trade(world, "190.25");
    const answer = await world.call("listPositions", { projection: "Account/Symbol" });
    expect(answer).toMatchObject({ status: 200, body: JSON.stringify([GOLD]) });
  });

  verifies("POSITIONS-ALL-SOURCES", async (world) => {
    const sources = ["FIXCLIENT1", "FIXCLIENT2", "WEBDESK", "ALGODESK"];
    for (const Source of sources) trade(world, "190.25", { attributes: { Source } });
    const expected = sources.map((source) => `Source[${source}]/Account[GOLD]/Symbol[AAPL]`);
    const answer = await world.call("listPositions", { projection: "Source/Account/Symbol" }, "viewer");
    expect((answer.json as { projection: string }[]).map(({ projection }) => projection)).toEqual(expected);
    const [total] = await ok<{ size: string }[]>(world.call("listPositions", { projection: "Account/Symbol" }));
    expect(total?.size).toBe("400");
  });
});

describe("the result of POST /positions/adjust", () => {
  verifiesHttp("ADJUST-ENDPOINT", async (world) => {
    await expectEndpoint(world, "adjustPosition");
    expect(await paths(world, { projection: "Account/Symbol" })).toEqual(["Account[GOLD]/Symbol[AAPL]"]);
  });

  verifies("ADJUST-ANSWER", async (world) => {
    const input = { projectionPath: "Account[GOLD]/Symbol[AAPL]", size: "5" };
    expect(await world.call("adjustPosition", input)).toEqual(EMPTY);
  });
});
