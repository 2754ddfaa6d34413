import { describe, expect } from "vitest";
import { loadInstallation } from "../../src/engine/simulated/installation.ts";
import { sampleInstallation } from "../../src/files/package-files.ts";
import { verifies } from "../support/verifies.ts";
import type { World } from "../support/world.ts";
import { submit, trade } from "./support/orders.ts";
import { EMPTY, ok } from "./support/responses.ts";

const ALL_KEYS = "Source/Destination/Account/Trader/TraderGroup/Exchange/UserData/Symbol/ModuleKey/PortfolioKey";
const sample = await loadInstallation(sampleInstallation());
const installation = { ...sample, positions: { projections: [ALL_KEYS, "Exchange/Symbol"] } };

/** Account GOLD bought 300 AAPL at 190, sold 100 at 191.50, works two buys and a sell; the market is at 192.25. */
function tradeGold(world: World): void {
  trade(world, "190", { size: "300" });
  trade(world, "191.50", { side: "Sell", size: "100" });
  submit(world, { size: "70", price: "180" });
  submit(world, { size: "5", price: "180" });
  submit(world, { side: "Sell", size: "30", price: "200" });
  world.engine.setMarketPrice("AAPL", "192.25");
}

async function gold(world: World): Promise<Record<string, unknown>> {
  const [position] = await ok<Record<string, unknown>[]>(
    world.call("listPositions", { projection: "Account/Symbol", account: "GOLD", symbol: "AAPL" }),
  );
  return position ?? {};
}

describe("position", () => {
  verifies("POSITION-PROJECTION", async (world) => {
    tradeGold(world);
    expect((await gold(world)).projection).toBe("Account[GOLD]/Symbol[AAPL]");
  });

  verifies(
    "POSITION-KEYS",
    async (world) => {
      trade(world, "190", { attributes: { UserData: "basket 7", ModuleKey: "M1", PortfolioKey: "P1" } });
      const [full] = await ok<object[]>(world.call("listPositions", { projection: ALL_KEYS }));
      expect(full).toMatchObject({
        source: "FIXCLIENT1",
        destination: "SIM",
        account: "GOLD",
        trader: "asmith",
        traderGroup: "Equities",
        exchange: "NASDAQ",
        userData: "basket 7",
        symbol: "AAPL",
        moduleKey: "M1",
        portfolioKey: "P1",
      });
      const [part] = await ok<object[]>(world.call("listPositions", { projection: "Exchange/Symbol" }));
      expect(Object.keys(part ?? {}).sort()).toEqual([
        "averageCost",
        "exchange",
        "marketValue",
        "openBuySize",
        "openSellSize",
        "projection",
        "realizedPnL",
        "size",
        "symbol",
        "totalCommission",
        "unrealizedPnL",
      ]);
    },
    { installation },
  );

  verifies("POSITION-SIZE", async (world) => {
    tradeGold(world);
    expect((await gold(world)).size).toBe("200");
    trade(world, "190", { side: "Sell", size: "300" });
    expect((await gold(world)).size).toBe("-100");
  });

  verifies("POSITION-AVERAGE-COST", async (world) => {
    tradeGold(world);
    expect((await gold(world)).averageCost).toBe("190");
    trade(world, "193", { size: "100" });
    expect((await gold(world)).averageCost).toBe("191");
  });

  verifies("POSITION-REALIZED", async (world) => {
    tradeGold(world);
    expect((await gold(world)).realizedPnL).toBe("150");
  });

  verifies("POSITION-UNREALIZED", async (world) => {
    tradeGold(world);
    expect((await gold(world)).unrealizedPnL).toBe("450");
    world.engine.setMarketPrice("AAPL", "189.5");
    expect((await gold(world)).unrealizedPnL).toBe("-100");
  });

  verifies("POSITION-MARKET-VALUE", async (world) => {
    tradeGold(world);
    expect((await gold(world)).marketValue).toBe("38450");
  });

  verifies("POSITION-COMMISSION", async (world) => {
    tradeGold(world);
    expect((await gold(world)).totalCommission).toBe("3.8075");
  });

  verifies("POSITION-OPEN-BUY", async (world) => {
    expect(await world.call("adjustPosition", { projectionPath: "Account[GOLD]/Symbol[AAPL]", size: "1" })).toEqual(
      EMPTY,
    );
    expect((await gold(world)).openBuySize).toBe("0");
    tradeGold(world);
    expect((await gold(world)).openBuySize).toBe("75");
  });

  verifies("POSITION-OPEN-SELL", async (world) => {
    tradeGold(world);
    expect((await gold(world)).openSellSize).toBe("30");
    const orders = world.engine.workingOrders().filter(({ side }) => side === "Sell");
    for (const { id } of orders) world.engine.cancelOrder(id);
    expect((await gold(world)).openSellSize).toBe("0");
  });
});
