import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { createClient } from "../../src/client/client.ts";
import { basic } from "../../src/client/credentials.ts";
import { PASSWORD } from "../gateway/folder.ts";
import { violations } from "../support/axe.ts";
import { useChromium } from "../support/chromium.ts";
import { hasFocus, pressEnterAt } from "../support/keyboard.ts";
import { lookAt, openConsole, panel, rowOf, useInstallation } from "./visit-console.ts";

const visit = useChromium();
const folder = useInstallation();

function clientOf(url: string): ReturnType<typeof createClient> {
  return createClient({ baseUrl: url, credentials: basic("chief", PASSWORD) });
}

/** The console gets this list of halts, whatever the gateway knows. */
async function serveHalts(page: Page, list: object): Promise<void> {
  await page.route("**/api/admin/v1/trading/halts", (route) => route.fulfill({ json: list }));
  await panel(page, "Trading")
    .getByRole("button", { name: /read now/ })
    .click();
}

/** The console gets flat positions with these paths. */
async function servePositions(page: Page, ...paths: readonly string[]): Promise<void> {
  const zeros = { size: "0", marketValue: "0", unrealizedPnL: "0", realizedPnL: "0", totalCommission: "0" };
  const json = paths.map((projection) => {
    const [account, symbol] = [...projection.matchAll(/\[([^\]]+)\]/g)].map(([, value]) => value);
    return { projection, account, symbol, averageCost: null, openBuySize: "0", openSellSize: "0", ...zeros };
  });
  await page.route("**/api/admin/v1/positions", (route) => route.fulfill({ json }));
  await panel(page, "Positions")
    .getByRole("button", { name: /read now/ })
    .click();
}

const NOBODY_KNOWS = { projectionPath: "Trader[T1]", reason: null, since: null, by: null };

describe("D-PAGE 3: what is halted, since when, by whom, and whether it is still so", () => {
  it("of nodes and of everything is what the gateway lists, without that anybody names them", async () => {
    const { url } = await folder.start("");
    const client = clientOf(url);
    await client.haltTrading({ projectionPath: "Source[FIXCLIENT1]/Account[SILVER]", reason: "limit breach" });
    const { page, problems } = await openConsole(visit, url);
    const name =
      /^halted Source\[FIXCLIENT1\]\/Account\[SILVER\] limit breach chief \d\d:\d\d:\d\d UTC, \d+ s ago \d+ s ago/;
    await panel(page, "Trading").getByRole("row", { name }).waitFor();
    await page.getByText("Trading is running, 1 node halted").waitFor();
    expect(await panel(page, "Trading").getByText("Trading is running").count(), "D-PAGE 24: said once").toBe(0);
    const resume = page.getByRole("button", { name: "Resume all trading" });
    expect(await resume.isVisible(), "nothing to resume").toBe(false);
    await client.haltTrading({ reason: "venue is away" });
    await panel(page, "Trading")
      .getByText(/^Halted since \d\d:\d\d:\d\d UTC by chief: venue is away\. Halted individually: Source/)
      .waitFor();
    await page.getByText(/^All trading has been halted for \d+ s$/).waitFor();
    await resume.focus();
    await client.resumeTrading({ reason: "back" });
    await resume.waitFor({ state: "hidden" });
    expect(await page.getByRole("button", { name: "Halt a node" }).evaluate(hasFocus)).toBe(true);
    await client.resumeTrading({ projectionPath: "Source[FIXCLIENT1]/Account[SILVER]" });
    await panel(page, "Trading").getByText("No node is halted.").waitFor();
    expect(problems).toEqual([]);
  });

  it("and for how long is counted on between two reads", async () => {
    const { url } = await folder.start("");
    const { page } = await openConsole(visit, url);
    await clientOf(url).haltTrading({});
    const pill = page.getByText(/^All trading has been halted for \d+ s$/);
    await pill.waitFor();
    await page.route("**/api/admin/v1/trading/**", () => undefined);
    const shown = await pill.textContent();
    await expect.poll(() => pill.textContent()).not.toBe(shown);
  });

  it("is marked at the positions below it, which offer no halt of their own, and can be filtered for", async () => {
    const { url } = await folder.start("");
    const client = clientOf(url);
    const { page, problems } = await openConsole(visit, url);
    await servePositions(
      page,
      "Account[GOLD]/Symbol[AAPL]",
      "Account[GOLD]/Symbol[MSFT]",
      "Account[SILVER]/Symbol[AAPL]",
    );
    const positions = panel(page, "Positions");
    const halt = positions.getByRole("button", { name: "Halt", exact: true });
    const marks = positions.getByText(/^halted/);
    const own = positions.getByText("halted", { exact: true });
    await expect.poll(() => halt.count()).toBe(3);
    await pressEnterAt(page, halt.first());
    await page.keyboard.press("Enter");
    await expect.poll(() => marks.count()).toBe(1);
    expect(await halt.count()).toBe(2);
    // The button that had the focus is gone: the keyboard is at the mark in its place.
    expect(await marks.locator("..").evaluate(hasFocus)).toBe(true);
    await client.haltTrading({ projectionPath: "Account[GOLD]" });
    await positions.getByText("halted at Account", { exact: true }).waitFor();
    expect(await marks.count()).toBe(2);
    expect(await own.count(), "has a halt of its own, too").toBe(1);
    await positions.getByRole("searchbox").fill("halted");
    await expect.poll(() => positions.getByRole("rowheader").allTextContents()).toEqual(["GOLD", "GOLD"]);
    await positions.getByRole("searchbox").fill("");
    await client.haltTrading({});
    await positions.getByText("halted with all", { exact: true }).waitFor();
    expect(await marks.count()).toBe(3);
    expect(await own.count()).toBe(1);
    expect(await halt.count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await client.resumeTrading({});
    await expect.poll(() => halt.count()).toBe(1);
    expect(problems).toEqual([]);
  });

  it("and is a thing of the past, which looks so, while it cannot be read", async () => {
    const { url } = await folder.start("");
    await clientOf(url).haltTrading({ projectionPath: "Account[GOLD]" });
    const { page } = await openConsole(visit, url);
    await servePositions(page, "Account[GOLD]/Symbol[AAPL]");
    const mark = panel(page, "Positions").locator(".commands [data-state]");
    await mark.getByText("halted at Account", { exact: true }).waitFor();
    const colour = (): Promise<string> =>
      page.evaluate("getComputedStyle(document.querySelector('.positions .commands [data-state]')).color");
    const now = await colour();
    await page.route("**/api/admin/v1/trading/status*", (route) => route.fulfill({ status: 503, json: {} }));
    await mark.getByText("was halted at Account", { exact: true }).waitFor();
    await expect.poll(colour).not.toBe(now);
  });

  it("of a node below a halt says where it is halted, in place of that it is not", async () => {
    const { url } = await folder.start("");
    const client = clientOf(url);
    const { page, problems } = await openConsole(visit, url);
    const path = "Account[GOLD]/Symbol[AAPL]";
    await lookAt(page, path);
    const node = rowOf(page, "Trading", path);
    await node.getByText("not halted").waitFor();
    await client.haltTrading({ projectionPath: "Account[GOLD]" });
    await node.getByText("halted at Account[GOLD]").waitFor();
    expect(await node.locator("[data-state]").first().getAttribute("data-state")).toBe("halted");
    expect(await node.getByRole("button", { name: "Resume" }).isVisible(), "has no halt of its own").toBe(false);
    await client.haltTrading({});
    await client.resumeTrading({ projectionPath: "Account[GOLD]" });
    await node.getByText("halted with all trading").waitFor();
    await client.resumeTrading({});
    await node.getByText("not halted").waitFor();
    expect(problems).toEqual([]);
  });

  it("says whether the list is complete, and where nobody knows since when and by whom", async () => {
    const { url } = await folder.start("");
    const { page } = await openConsole(visit, url);
    await panel(page, "Trading").getByText("The engine lists everything that is halted.").waitFor();
    await serveHalts(page, { complete: false, halts: [] });
    await panel(page, "Trading").getByText("The list may be incomplete").waitFor();
    await serveHalts(page, { complete: true, halts: [NOBODY_KNOWS] });
    await panel(page, "Trading").getByText("The engine lists everything that is halted.").waitFor();
    await panel(page, "Trading")
      .getByRole("row", { name: /^halted Trader\[T1\] not known not known/ })
      .waitFor();
  });

  it("is not said to be unknown to the gateway before the list of halts has been read again", async () => {
    const { url } = await folder.start("");
    const { page } = await openConsole(visit, url);
    await lookAt(page, "Account[GOLD]");
    await rowOf(page, "Trading", "Account[GOLD]").getByText("not halted").waitFor();
    await panel(page, "Trading").getByText("No node is halted.").waitFor();
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/api/admin/v1/trading/halts", async (route) => {
      await held;
      await route.continue();
    });
    const client = clientOf(url);
    await client.haltTrading({ projectionPath: "Account[GOLD]" });
    await client.haltTrading({ reason: "drill" });
    const trading = panel(page, "Trading");
    await trading.getByText("Halted: drill.").waitFor();
    await rowOf(page, "Trading", "Account[GOLD]").getByText("halted", { exact: true }).waitFor();
    expect(await trading.textContent()).not.toContain("not known");
    release();
    await trading.getByText(/^Halted since .* by chief: drill/).waitFor();
    await trading.getByRole("row", { name: /^halted Account\[GOLD\] chief / }).waitFor();
  });

  it("is known of named nodes where the gateway lists nothing", async () => {
    const { url } = await folder.start("admin.api.extensions: false");
    await clientOf(url).haltTrading({ projectionPath: "Account[GOLD]", reason: "drill" });
    const { page, problems } = await openConsole(visit, url);
    await lookAt(page, "Account[GOLD]");
    await panel(page, "Trading")
      .getByRole("row", { name: /^halted Account\[GOLD\] drill not known not known/ })
      .waitFor();
    await panel(page, "Trading").getByText("The list may be incomplete").waitFor();
    expect(problems.filter((problem) => !/404/.test(problem))).toEqual([]);
  });
});

describe("D-PAGE 14: what the engine has forgotten", () => {
  it("stands below the state of trading until it is dealt with; a halt can be asked for again, and nothing is sent by itself", async () => {
    const { url } = await folder.start("");
    const { page } = await openConsole(visit, url);
    const since = Date.UTC(2026, 0, 5, 6, 58, 25);
    const session = { gateway: "RFQ/1", session: "USD" };
    const lost = [
      { operation: "haltTrading", target: "", targetFields: { projectionPath: "" }, reason: "bad algo", by: "chief" },
      { operation: "disableService", target: "SIM", targetFields: { name: "SIM" }, reason: null, by: null },
      { operation: "disableFixSession", target: "RFQ/1/USD", targetFields: session, reason: null, by: null },
    ].map((stop) => ({ ...stop, since }));
    await serveHalts(page, { complete: false, halts: [], lost });
    const banner = page.getByRole("alert");
    const halted = "Trading is no longer halted at the engine (halted 2026-01-05 06:58:25 by chief: bad algo).";
    await banner.getByText(halted).waitFor();
    await page.getByText("Trading is running, engine forgot 3 stops").waitFor();
    await banner
      .getByText("SIM is no longer disabled at the engine (disabled 2026-01-05 06:58:25 by somebody).")
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await banner.getByRole("button", { name: "Halt again" }).click();
    await page.getByRole("dialog", { name: "Halt all trading" }).waitFor();
    await page.keyboard.press("Escape");
    await banner.getByRole("button", { name: "Disable again" }).first().click();
    await page.getByRole("dialog", { name: "Disable SIM" }).waitFor();
    await page.keyboard.press("Escape");
    await banner.getByRole("button", { name: "Disable again" }).last().click();
    await page.getByRole("dialog", { name: "Disable USD of RFQ/1" }).waitFor();
    await page.keyboard.press("Escape");
    await serveHalts(page, { complete: false, halts: [] });
    await expect.poll(() => banner.textContent()).toBe("");
  });
});

describe("D-PAGE 14: a lost stop that was intended", () => {
  it("is cleared by what takes it back, which asks for its word and says what was lost", async () => {
    const { url } = await folder.start("");
    const { page, problems } = await openConsole(visit, url);
    const since = Date.UTC(2026, 0, 5, 6, 58, 25);
    const lost = [
      { operation: "haltTrading", targetFields: { projectionPath: "Account[GOLD]" }, reason: "bad algo", by: "chief" },
      { operation: "disableService", targetFields: { name: "SIM" }, reason: null, by: null },
      { operation: "disableFixSession", targetFields: { gateway: "OE/1", session: "USD" }, reason: null, by: null },
      { operation: "muteDesk", targetFields: { desk: "D1" }, reason: null, by: null },
    ].map((stop) => ({ ...stop, target: Object.values(stop.targetFields).join("/"), since }));
    await serveHalts(page, { complete: false, halts: [], lost });
    const intended = page.getByRole("alert").getByRole("button", { name: "It was intended…" });
    await expect.poll(() => intended.count(), { message: "none where the page has no command for it" }).toBe(3);
    for (const [index, name] of ["Resume Account[GOLD]", "Enable SIM", "Enable USD of OE/1"].entries()) {
      await intended.nth(index).click();
      const dialog = page.getByRole("dialog", { name });
      await dialog
        .getByText(/ is no longer (halted|disabled) at the engine \(.*\)\. If that was intended, this command ends/)
        .waitFor();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press("Escape");
    }
    await page.unroute("**/api/admin/v1/trading/halts");
    await intended.first().click();
    await page.keyboard.press("Tab");
    await page.keyboard.type("RESUME");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByRole("alert").textContent()).toBe("");
    expect(problems).toEqual([]);
  });

  it("comes the sooner the more it stopped: everything, nodes, then services and sessions", async () => {
    const { url } = await folder.start("");
    const { page } = await openConsole(visit, url);
    const lost = [
      { operation: "disableService", target: "SIM", targetFields: { name: "SIM" } },
      { operation: "haltTrading", target: "Account[GOLD]", targetFields: { projectionPath: "Account[GOLD]" } },
      { operation: "haltTrading", target: "", targetFields: { projectionPath: "" } },
    ].map((stop) => ({ ...stop, reason: null, by: "chief", since: Date.UTC(2026, 0, 5, 6, 58, 25) }));
    await serveHalts(page, { complete: false, halts: [], lost });
    const lines = page.getByRole("alert").locator("p");
    await expect.poll(() => lines.count()).toBe(3);
    const begins = (await lines.allTextContents()).map((text) => text.replace(/ is no longer .*/, ""));
    expect(begins).toEqual(["Trading", "Account[GOLD]", "SIM"]);
  });

  it("is, of several on a phone, not all of the screen: some are behind a line that counts them", async () => {
    const { url } = await folder.start("");
    const viewport = { width: 390, height: 844 };
    const { page } = await openConsole(visit, url, "chief", { viewport });
    const lost = ["GOLD", "SILVER", "HEDGE1", "HEDGE2"].map((account) => ({
      operation: "haltTrading",
      target: `Account[${account}]`,
      reason: "limit breach at the exchange",
      since: Date.UTC(2026, 0, 5, 6, 58, 25),
      by: "chief",
    }));
    await serveHalts(page, { complete: false, halts: [], lost });
    const banner = page.getByRole("alert");
    const again = banner.getByRole("button", { name: "Halt again" });
    await banner.getByText("2 more that the engine forgot").waitFor();
    expect(await again.count()).toBe(2);
    expect((await banner.boundingBox())?.height).toBeLessThan(viewport.height / 2);
    expect(await violations(page)).toEqual([]);
    await banner.getByText("2 more that the engine forgot").click();
    await again.last().click();
    await page.getByRole("dialog", { name: "Halt Account[HEDGE2]" }).waitFor();
  });
});

describe("D-PAGE 15: a node that is not what was meant", () => {
  it("is warned of: a path with a star before it is sent, and one at which the engine shows nothing", async () => {
    const { url } = await folder.start("");
    const { page } = await openConsole(visit, url);
    const trading = panel(page, "Trading");
    const star = "path has no wildcards: Account[*] is the node of exactly this name, and no other";
    await page.getByRole("button", { name: "Halt all trading" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("combobox", { name: "Node" }).fill("Account[*]");
    await dialog.getByText(star).waitFor();
    expect(await dialog.getByRole("button", { name: "Halt Account[*]" }).isEnabled(), "a stop is not refused").toBe(
      true,
    );
    await dialog.getByRole("combobox", { name: "Node" }).fill("Account[GLOD]");
    await page.keyboard.press("Enter");
    const status = page.getByRole("status");
    const doubt =
      /^Account\[GLOD\] is halted, but the engine shows no .* at Account\[GLOD\]: check how it is spelt\. Read/;
    await status.getByText(doubt).waitFor();
    expect(await status.locator(".partial").count(), "is not green").toBe(1);
    await lookAt(page, "Account[*]");
    await trading.getByText(star).waitFor();
    const unknown = (path: string): string =>
      `shows no position, limit or open order at ${path}: check how it is spelt`;
    await lookAt(page, "Account[GOLDD]/Symbol[AAPL]");
    await trading.getByText(unknown("Account[GOLDD]/Symbol[AAPL]")).waitFor();
    await lookAt(page, "Account[GOLD]");
    await rowOf(page, "Trading", "Account[GOLD]").getByText("not halted").waitFor();
    expect(await trading.getByText(unknown("Account[GOLD]"), { exact: false }).count()).toBe(0);
    await rowOf(page, "Trading", "Account[GOLDD]/Symbol[AAPL]").getByRole("button", { name: "Hide" }).click();
    await expect.poll(() => trading.getByText("check how it is spelt").count()).toBe(1);
  });
});
