import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { violations } from "../support/axe.ts";
import { useChromium } from "../support/chromium.ts";
import { typeInto } from "../support/keyboard.ts";
import { openConsole, panel, useInstallation } from "./visit-console.ts";

const visit = useChromium();
const folder = useInstallation();

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

/** A chart by its title: what it says now and of the time before, and where in it 0 and the line are, 32 below the top at most. */
function chart(page: Page, title: string) {
  const shown = page.getByRole("group", { name: title, exact: true });
  return {
    shown,
    now: () => shown.locator(".trend-now").textContent(),
    range: () => shown.locator(".trend-range").textContent(),
    labels: () => shown.locator(".trend-most, .trend-least, .trend-begin").allTextContents(),
    zero: () => shown.locator(".trend-axis").getAttribute("d"),
    /** Heights of the values that a line connects with others, and of the last one. */
    connected: async () => heightsOf(await shown.locator(".trend-line").first().getAttribute("d")),
    last: async () => heightsOf(await shown.locator(".trend-end").getAttribute("d"))[0],
  };
}

function heightsOf(path: string | null): number[] {
  return [...(path ?? "").matchAll(/[ML][\d.]+ ([\d.]+)/g)].map(([, height]) => Number(height));
}

describe("D-PAGE 22: small charts of the last 30 minutes", () => {
  it("begin at 0, and say in words what is lowest and highest", async () => {
    const { url } = await folder.start("");
    const { page, problems } = await openConsole(visit, url);
    const sessions = chart(page, "Connected sessions");
    await expect.poll(sessions.now).toMatch(/^\d+ of \d+$/);
    expect(await sessions.zero()).toBe("M0 32.0h200");
    expect(await sessions.last(), "all of them are far from none").toBe(0);
    const losing = [position("GOLD", "AAPL", "-9", "0"), position("GOLD", "MSFT", "4", "0.5")];
    await servePositions(page, ...losing);
    await expect.poll(chart(page, "Positions with open orders").now).toBe("1 of 2");
    const losses = chart(page, "Positions at a loss");
    await expect.poll(losses.now).toBe("1 of 2");
    await servePositions(page, ...losing.slice(1));
    await expect.poll(losses.now).toBe("0 of 1");
    // A value between two reads that follow quickly is not kept.
    await expect.poll(losses.range).toMatch(/^low 0, high \d+$/);
    expect(await losses.last()).toBe(32);
    expect(await losses.connected(), "of other positions than before: neither a line nor a speck").not.toContain(32);
    expect(await violations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("have a profit only for positions of one symbol, and show where it is none", async () => {
    const { url } = await folder.start("");
    const { page, problems } = await openConsole(visit, url);
    await servePositions(page, position("GOLD", "AAPL", "-9", "0"), position("GOLD", "MSFT", "4", "0"));
    await expect.poll(chart(page, "Positions at a loss").now).toBe("1 of 2");
    const profit = chart(page, "P&L");
    expect(await profit.shown.isVisible()).toBe(false);
    await typeInto(page, panel(page, "Positions").getByRole("searchbox"), "AAPL");
    await expect.poll(profit.now).toBe("-7.50");
    // All of it is a loss.
    await expect.poll(profit.zero).toBe("M0 0.0h200");
    await servePositions(page, position("GOLD", "AAPL", "21", "0"));
    await expect.poll(profit.now).toBe("22.50");
    await expect.poll(profit.range).toMatch(/^low -7.50, high 22.50$/);
    expect(await profit.zero()).toBe("M0 24.0h200");
    expect(await profit.last()).toBe(0);
    const mark = await profit.shown.locator(".trend-zero").evaluate((part: Marked) => part.style.top);
    expect(mark).toBe("75%");
    expect(await profit.labels()).toEqual(["22.50", "-7.50", "1 min ago"]);
    expect(await violations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

interface Marked {
  readonly style: { readonly top: string };
}
