import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { PASSWORD } from "../gateway/folder.ts";
import { startHeldEngine } from "../gateway/held-engine.ts";
import { violations } from "../support/axe.ts";
import { useChromium } from "../support/chromium.ts";
import { boxOf, lookAt, openConsole, panel, rowOf, statusOf, useInstallation } from "./visit-console.ts";

/** Time for the page to notice something: two of its reads, on a busy machine. */
const NOTICE = { timeout: 30_000 };

/** Charts that end when they were read. */
const CHARTS_OF_BEFORE = Array.from({ length: 3 }, () => expect.stringMatching(/before.*as of \d\d:\d\d:\d\d UTC$/));

const visit = useChromium();
const folder = useInstallation();

/** Requests that the page sends from now on: path and query. */
function requestsOf(page: Page): string[] {
  const sent: string[] = [];
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    sent.push(`${pathname}${search}`);
  });
  return sent;
}

function settled(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

describe("a console that is open while something is away", () => {
  it("D-PAGE 6: a page whose script did not come has no button that looks as if it halted, and says how to halt", async () => {
    const gateway = await folder.start("");
    const { page } = await openConsole(visit, gateway.url);
    const loading = page.getByText("If this line stays, halt trading with trading-admin halt.");
    const halt = page.getByRole("button", { name: "Halt all trading" });
    expect([await loading.count(), await halt.isDisabled()]).toEqual([0, false]);
    await page.route("**/console/console.js*", (route) => route.fulfill({ status: 429 }));
    await page.reload();
    await loading.waitFor();
    expect(await halt.isDisabled()).toBe(true);
  }, 60_000);

  it("D-PAGE 6: says that the gateway does not answer and how old everything is, and reads it all when it is back", async () => {
    const gateway = await folder.start("");
    const { port } = new URL(gateway.url);
    const { page } = await openConsole(visit, gateway.url);
    await lookAt(page, "Account[GOLD]");
    await gateway.close();
    await expect
      .poll(() => statusOf(page), NOTICE)
      .toMatch(/The gateway does not answer\. What is shown was read at \d\d:\d\d:\d\d UTC/);
    await expect.poll(() => page.getByText("Last seen: Trading is running").count()).toBe(1);
    await rowOf(page, "Trading", "Account[GOLD]").getByText("was not halted").waitFor();
    expect(await page.getByText("The gateway does not answer.").count(), "said once").toBe(1);
    // What may be over by now does not look as if all were well.
    expect(await page.locator("#pill").getAttribute("data-state")).not.toBe("running");
    await page.getByRole("button", { name: "Halt all trading" }).click();
    await page.keyboard.press("Enter");
    await expect
      .poll(() => statusOf(page), NOTICE)
      .toMatch(/Halt all trading: (it is not known whether it was done|no proof yet)/);
    const sent = requestsOf(page);
    const again = await folder.start(`server.port: ${port}`);
    expect(again.url).toBe(gateway.url);
    await expect.poll(() => statusOf(page), NOTICE).toContain("Gateway and engine answer again.");
    // Everything in sight together: at the pace of polling one of these would come in this time.
    await expect
      .poll(() => sent)
      .toEqual(
        expect.arrayContaining([
          "/api/admin/v1/trading/status?projectionPath=Account%5BGOLD%5D",
          "/api/admin/v1/positions",
          "/api/admin/v1/services",
          "/api/admin/v1/trading/halts",
        ]),
      );
  }, 120_000);

  it("was opened then: it says that nothing is known or read yet, and resuming is not what it proposes", async () => {
    const { url } = await folder.start("");
    const { page } = await visit(url, { httpCredentials: { username: "chief", password: PASSWORD } });
    const body = JSON.stringify({ status: 503, error: "Service Unavailable", message: "no link" });
    await page.route("**/api/admin/v1/**", (route) =>
      route.fulfill({ status: 503, contentType: "application/json", body }),
    );
    await page.goto(`${url}/console`);
    const trading = panel(page, "Trading");
    await trading.getByText("The trading state is not known.").waitFor();
    await trading.getByRole("button", { name: "Resume" }).waitFor();
    expect(await trading.locator("button.change").count(), "filled").toBe(0);
    for (const part of ["Services", "Risk limits", "FIX sessions", "Positions"]) {
      await panel(page, part).scrollIntoViewIfNeeded();
      await panel(page, part).getByText("Not read yet").waitFor();
      expect(await panel(page, part).getByRole("columnheader").first().isVisible(), part).toBe(false);
    }
    await page.getByRole("button", { name: "Halt all trading" }).click();
    const dialog = page.getByRole("dialog");
    await dialog
      .getByText("The engine is not connected: until it is, commands are not sent, nor kept for later.", {
        exact: false,
      })
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await panel(page, "Positions").getByRole("columnheader").first().isVisible()).toBe(false);
    await page.getByRole("button", { name: "Halt all trading" }).click();
    await page.unroute("**/api/admin/v1/**");
    await dialog.getByText("The engine is not connected").waitFor({ state: "hidden" });
    await page.keyboard.press("Escape");
    await panel(page, "Positions")
      .getByRole("button", { name: /^Show \d+ positions/ })
      .waitFor(NOTICE);
  }, 120_000);

  it("D-PAGE 30: has nothing in it that looks as if it were so now", async () => {
    const engine = await startHeldEngine();
    onTestFinished(() => engine.close());
    const { url } = await folder.start(`${engine.settings}admin.engine.request-timeout: 500ms\n`);
    await expect.poll(() => folder.logText(), NOTICE).toContain("link for reads");
    const { page } = await openConsole(visit, url, "chief", { viewport: { width: 1440, height: 2_000 } });
    const services = panel(page, "Services");
    const colour = (of: string): Promise<string> =>
      page.evaluate(`getComputedStyle(document.querySelector("${of}")).color`);
    const [state, number] = [".services [data-state=running] .symbol", ".risk tbody .number:not(.faint)"];
    await services.locator("[data-state=running] .symbol").first().waitFor();
    await page.locator(number).first().waitFor();
    const [stateNow, numberNow] = [await colour(state), await colour(number)];
    await panel(page, "Trading").getByText("No node is").waitFor();
    const chart = page.getByRole("group", { name: "Positions at a loss" });
    await chart.getByText(/^\d+ of \d+$/).waitFor();
    const line = (): Promise<string> => page.evaluate("getComputedStyle(document.querySelector('.trend-end')).stroke");
    const lineNow = await line();
    expect(await chart.textContent()).toMatch(/now$/);
    engine.gate.hold();
    await panel(page, "Trading")
      .getByText(/^As of [\d:]+ UTC: No node is/)
      .waitFor(NOTICE);
    await panel(page, "Trading")
      .getByText(/^As of [\d:]+ UTC: The engine lists/)
      .waitFor(NOTICE);
    await expect.poll(() => colour(state), NOTICE).not.toBe(stateNow);
    await expect.poll(() => colour(number), NOTICE).not.toBe(numberNow);
    await expect.poll(() => page.locator(".trend:not([hidden])").allTextContents(), NOTICE).toEqual(CHARTS_OF_BEFORE);
    expect(await line(), "and is grey").not.toBe(lineNow);
    // Records are the gateway's, which answers.
    const commands = panel(page, "Last commands");
    await commands.getByRole("button", { name: /read now/ }).click();
    await expect.poll(() => commands.getAttribute("class")).not.toContain("old");
  }, 120_000);

  it("does not mark as old what is read once a minute, before it should have been read again", async () => {
    const { url } = await folder.start("");
    const { page } = await openConsole(visit, url);
    const limits = panel(page, "Risk limits");
    await limits.getByRole("columnheader").first().waitFor();
    await page.route("**/risk/table*", () => {});
    await page.clock.setFixedTime(Date.now() + 45_000);
    await limits.getByRole("button", { name: /^Read [45]\d s ago/ }).waitFor();
    await expect.poll(() => limits.getAttribute("class")).not.toContain("old");
  });

  it("says that the engine does not answer (504), what is not known of a command, and proves it when it is", async () => {
    const engine = await startHeldEngine();
    onTestFinished(() => engine.close());
    const { url } = await folder.start(`${engine.settings}admin.engine.request-timeout: 500ms\n`);
    await expect.poll(() => folder.logText(), NOTICE).toContain("link for reads");
    const { page } = await openConsole(visit, url);
    engine.gate.hold();
    await expect.poll(() => statusOf(page), NOTICE).toMatch(/The engine does not answer: .*Status 504\./);
    await page.getByRole("button", { name: "Halt all trading" }).click();
    await page
      .getByRole("dialog")
      .getByText("The engine does not answer: a command is sent, and whether it was done may stay unknown.")
      .waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => statusOf(page), NOTICE).toContain("Halt all trading: it is not known whether it was done.");
    engine.gate.replyWith(({ method }) =>
      method === "getTradingStatus"
        ? { ok: true, result: { projectionPath: "", halted: true, reason: "Trading halted" } }
        : method === "haltTrading"
          ? { ok: true, result: null }
          : { ok: false, refusal: "unavailable", message: "held" },
    );
    engine.gate.release();
    await expect.poll(() => statusOf(page), NOTICE).toContain("All trading is halted. Read from the engine at");
    await expect.poll(() => page.getByText(/All trading (is|has been) halted/).count(), NOTICE).toBeGreaterThan(1);
  }, 120_000);

  it("D-ENG 16: of a status 500 says what the gateway says of it: not done, accepted, not known", async () => {
    const { url } = await folder.start("");
    const { page } = await openConsole(visit, url);
    for (const [outcome, words] of [
      ["not-applied", "Halt all trading: not done. The disk is full. Nothing was stopped: send it again"],
      ["applied", "Halt all trading: accepted, do not repeat it."],
      [
        "unknown",
        "Halt all trading: it is not known whether it was done. Sending it again does no harm, otherwise stop it at the engine.",
      ],
    ] as const) {
      const body = JSON.stringify({ status: 500, error: "Internal Server Error", message: "The disk is full" });
      const headers = { "X-Admin-Outcome": outcome, "Content-Type": "application/json" };
      await page.route("**/trading/halt", (route) => route.fulfill({ status: 500, headers, body }));
      await page.getByRole("button", { name: "Halt all trading" }).click();
      await page.keyboard.press("Enter");
      await expect.poll(() => statusOf(page), NOTICE).toContain(words);
      await page.unroute("**/trading/halt");
    }
  }, 120_000);
});

describe("a console that is open costs little", () => {
  it("at most five requests in ten seconds while nothing is scrolled to, and none in a hidden tab", async () => {
    const { url } = await folder.start("");
    const { page } = await openConsole(visit, url);
    await rowOf(page, "Services", "SIM").waitFor();
    await settled(2_000);
    const sent = requestsOf(page);
    await settled(10_000);
    expect(sent.length).toBeGreaterThan(1);
    expect(sent.length).toBeLessThanOrEqual(5);
    await page.evaluate(`Object.defineProperty(document, "visibilityState", { get: () => "hidden" });
document.dispatchEvent(new Event("visibilitychange"));`);
    await settled(500);
    sent.length = 0;
    await settled(6_000);
    expect(sent).toEqual([]);
  }, 60_000);

  it("a part that came into sight while the page was busy is read: the browser tells at one time that it was not, and that it is", async () => {
    const { url } = await folder.start("");
    // Everything is in sight.
    const { page } = await openConsole(visit, url, "chief", { viewport: { width: 1440, height: 6_000 } });
    await page.addInitScript(`const Observer = IntersectionObserver;
globalThis.IntersectionObserver = class extends Observer {
  constructor(tell) {
    super((entries, observer) =>
      tell(entries.flatMap((entry) => [{ isIntersecting: !entry.isIntersecting }, entry]), observer));
  }
};`);
    await page.reload();
    await rowOf(page, "Services", "SIM").waitFor({ timeout: 60_000 });
  });

  it("10,000 positions: only the rows in the window are there, below their titles, their totals are exact, and the page scrolls to the last one", async () => {
    const { url } = await folder.start("");
    const count = 10_000;
    const visited = await openConsole(visit, url);
    const { page, problems } = visited;
    await page.route("**/api/admin/v1/positions", (route) =>
      route.fulfill({
        contentType: "application/json",
        body: JSON.stringify(Array.from({ length: count }, (_, at) => position(at))),
      }),
    );
    const positions = panel(page, "Positions");
    await positions.getByRole("button", { name: /read now/ }).click();
    await positions.getByText("10,000 positions.").waitFor();
    expect(await positions.locator("tbody tr").count()).toBeLessThan(80);
    // 10,000 times 0.1 is not an exact sum of binary floating point numbers.
    await expect.poll(() => positions.locator("tfoot").textContent()).toContain("1,000");
    const scroller = positions.getByRole("group", { name: "Positions, scrollable" });
    const hidden = await scroller.evaluate((part: Scrolled) => part.scrollHeight - part.clientHeight);
    expect(hidden, "no box of its own scrolls").toBe(0);
    await page.evaluate("document.querySelector('#services').scrollIntoView({ behavior: 'instant', block: 'end' })");
    const last = positions.getByRole("row", { name: "A9999 AAPL" });
    await last.waitFor();
    const [title, top] = [positions.getByRole("columnheader", { name: "Size" }), page.locator("#top")];
    const below = async (): Promise<number> =>
      (await boxOf(title)).y - (await boxOf(top)).y - (await boxOf(top)).height;
    await expect.poll(async () => Math.abs(await below()), { message: "titles stay below the top" }).toBeLessThan(2);
    expect((await boxOf(last)).y).toBeGreaterThan((await boxOf(title)).y);
    await positions.getByRole("button", { name: "Size" }).click();
    await positions.getByRole("searchbox", { name: "Filter positions" }).fill("A42]");
    await positions.getByText("1 of 10,000 positions.").waitFor();
    expect(problems).toEqual([]);
  }, 60_000);
});

interface Scrolled {
  readonly scrollHeight: number;
  readonly clientHeight: number;
}

function position(at: number): Record<string, string | null> {
  return {
    projection: `Account[A${at}]/Symbol[AAPL]`,
    account: `A${at}`,
    symbol: "AAPL",
    size: "0.1",
    averageCost: null,
    realizedPnL: "0",
    unrealizedPnL: "-0.000000001",
    marketValue: "12345678901234567890.123",
    totalCommission: "0",
    openBuySize: "0",
    openSellSize: "0",
  };
}
