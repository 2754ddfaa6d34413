import type { Page } from "playwright-core";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addViewer, InstallationFolder } from "../gateway/folder.ts";
import { requireBuild } from "../package/build.ts";
import { violations } from "../support/axe.ts";
import { useChromium } from "../support/chromium.ts";
import { typeInto } from "../support/keyboard.ts";
import { openConsole, panel } from "./visit-console.ts";

const visit = useChromium();
let folder: InstallationFolder;

beforeAll(requireBuild);

beforeEach(() => {
  folder = new InstallationFolder();
  addViewer(folder);
});

afterEach(() => folder.close());

function position(account: string, symbol: string, unrealizedPnL: string, openBuySize: string): object {
  const money = { averageCost: "1", marketValue: "1", realizedPnL: "1.5", totalCommission: "0", openSellSize: null };
  const projection = `Account[${account}]/Symbol[${symbol}]`;
  return { projection, account, symbol, size: "1", unrealizedPnL, openBuySize, ...money };
}

async function servePositions(page: Page, ...positions: readonly object[]): Promise<void> {
  await page.unroute("**/api/admin/v1/positions");
  await page.route("**/api/admin/v1/positions", (route) => route.fulfill({ json: positions }));
  await panel(page, "Positions")
    .getByRole("button", { name: /read now/ })
    .click();
}

describe("D-PAGE 22: small charts of the last 30 minutes", () => {
  it("say in words what the lines show; a profit is there only for positions of one symbol", async () => {
    const { url } = await folder.start("");
    const { page, problems } = await openConsole(visit, url);
    await page
      .getByRole("img", { name: /^Connected sessions: \d+ now, between \d+ and \d+ in the last 30 min/ })
      .waitFor();
    await servePositions(page, position("GOLD", "AAPL", "-9", "0"), position("GOLD", "MSFT", "4", "0.5"));
    await page.getByRole("img", { name: /^Positions with open orders: 1 of 2 now/ }).waitFor();
    await page.getByRole("img", { name: /^Positions at a loss: 1 of 2 now/ }).waitFor();
    const profit = page.getByRole("img", { name: /^P&L: / });
    expect(await profit.count()).toBe(0);
    await typeInto(page, panel(page, "Positions").getByRole("searchbox"), "AAPL");
    await page.getByRole("img", { name: /^P&L: -7\.50 now, between -7\.5 and -7\.5/ }).waitFor();
    await servePositions(page, position("GOLD", "AAPL", "1000.25", "0"));
    await page.getByRole("img", { name: /^P&L: 1,001\.75 now, between -7\.5 and 1001\.75/ }).waitFor();
    await page.getByRole("img", { name: /^Positions at a loss: 0 of 1 now, between 0 and \d+/ }).waitFor();
    expect(await page.locator(".trend path").first().getAttribute("d")).toMatch(
      /^M[\d.]+ [\d.]+h0\.1(?:L[\d.]+ [\d.]+)*$/,
    );
    expect(await violations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});
