import type { Page } from "playwright-core";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addViewer, CHIEF, InstallationFolder } from "../gateway/folder.ts";
import { requireBuild } from "../package/build.ts";
import { violations } from "../support/axe.ts";
import { useChromium } from "../support/chromium.ts";
import { hasFocus } from "../support/keyboard.ts";
import { sendRaw } from "../support/raw-http.ts";
import { lookAt, openConsole, panel, rowOf, statusOf, unfold } from "./visit-console.ts";

const visit = useChromium();
let folder: InstallationFolder;
let url: string;

beforeAll(requireBuild);

beforeEach(async () => {
  folder = new InstallationFolder();
  addViewer(folder);
  ({ url } = await folder.start(""));
});

afterEach(() => folder.close());

/** The engine's own word on a node. */
async function statusAt(path: string): Promise<unknown> {
  const query = `?projectionPath=${encodeURIComponent(path)}`;
  const { body } = await sendRaw(url, { path: `/api/admin/v1/trading/status${query}`, authorization: CHIEF });
  return JSON.parse(body);
}

/** Sends a command as another program would. */
async function command(path: string, body: object): Promise<void> {
  const { status } = await sendRaw(url, {
    method: "POST",
    path: `/api/admin/v1${path}`,
    authorization: CHIEF,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(status).toBe(200);
}

/** Requests for commands that the page sends from now on. */
function commandsOf(page: Page): string[] {
  const sent: string[] = [];
  page.on("request", (request) => {
    const path = new URL(request.url()).pathname;
    if (request.method() === "POST" && !path.endsWith("/positions")) sent.push(path);
  });
  return sent;
}

describe("the console in a real browser", () => {
  it("everything that can be read is read: trading, positions without totals over different symbols, services, sessions, limits", async () => {
    const { page, problems } = await openConsole(visit, url);
    for (const name of ["Trading", "Positions", "Services", "FIX sessions", "Risk limits"]) {
      expect(await page.getByRole("heading", { name, exact: true }).count(), name).toBe(1);
    }
    await rowOf(page, "Services", "SIM").waitFor();
    await panel(page, "Risk limits")
      .getByRole("row", { name: /EUR\/USD.*500,000.*2,000,000/ })
      .waitFor();
    await panel(page, "Positions")
      .getByText(/positions\. No totals across symbols/)
      .waitFor();
    const sessions = panel(page, "FIX sessions");
    await sessions.scrollIntoViewIfNeeded();
    const session = sessions.getByRole("row", {
      name: /^(Connected|Disconnected) FIXCLIENT1 \d+ \d+ OE1 \(OrderEntry\)/,
    });
    await session.waitFor();
    expect(problems).toEqual([]);
  });

  it("a node is halted with a reason, proven by reading it, and resumed with the typed word", async () => {
    const { page, problems } = await openConsole(visit, url);
    await lookAt(page, "Account[GOLD]");
    const node = rowOf(page, "Trading", "Account[GOLD]");
    await node.getByRole("button", { name: "Halt", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Halt Account[GOLD]" });
    await dialog.getByRole("textbox", { name: "Reason" }).fill("price feed is stale");
    await dialog.getByRole("button", { name: "Halt Account[GOLD]" }).click();
    await expect
      .poll(() => statusOf(page))
      .toMatch(/^Account\[GOLD\] is halted \(price feed is stale\)\. Read from the engine at/);
    expect(await statusAt("Account[GOLD]")).toMatchObject({ halted: true, reason: "price feed is stale" });
    expect(await statusAt("")).toMatchObject({ halted: false });
    await page.getByText("Trading is running, 1 node halted").first().waitFor();

    await node.getByRole("button", { name: "Resume", exact: true }).click();
    const question = page.getByRole("dialog", { name: "Resume Account[GOLD]" });
    expect(await question.textContent()).toMatch(/Halted since [\d:]+ UTC by chief: /);
    const send = question.getByRole("button", { name: "Resume Account[GOLD]" });
    expect(await send.isEnabled()).toBe(false);
    await question.getByRole("textbox", { name: "Type RESUME to confirm" }).fill("RESUME");
    await send.click();
    await expect.poll(() => statusOf(page)).toMatch(/^Account\[GOLD\] is not halted/);
    expect(await statusAt("Account[GOLD]")).toMatchObject({ halted: false });
    expect(problems).toEqual([]);
  });

  it("the keyboard alone halts everything with two keys, and resumes it", async () => {
    const { page, problems } = await openConsole(visit, url);
    await page.getByRole("button", { name: "Halt all trading" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Halt all trading" }).waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => statusOf(page)).toMatch(/^All trading is halted\. Read from the engine at/);
    expect(await statusAt("")).toMatchObject({ halted: true });
    await page.getByRole("button", { name: "Resume all trading" }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Resume all trading" });
    await dialog.waitFor();
    expect(await dialog.getByRole("textbox").first().evaluate(hasFocus)).toBe(true);
    // What a hand in a hurry does is not enough to start, nor the word for one node.
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.type("resume");
    await page.keyboard.press("Enter");
    expect(await statusAt("")).toMatchObject({ halted: true });
    await page.keyboard.type(" all");
    await page.keyboard.press("Enter");
    await expect.poll(() => statusOf(page)).toMatch(/^Trading is running\. Read from/);
    expect(problems).toEqual([]);
  });

  it("who types a reason immediately gives a reason: a space sends nothing, and Enter sends it with the halt", async () => {
    const { page, problems } = await openConsole(visit, url);
    const sent = commandsOf(page);
    await page.getByRole("button", { name: "Halt all trading" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type("runaway algo of desk 4");
    expect(sent).toEqual([]);
    await page.keyboard.press("Enter");
    await expect.poll(() => statusOf(page)).toMatch(/^All trading is halted \(runaway algo of desk 4\)/);
    expect(problems).toEqual([]);
  });

  it("on a screen for fingers the dialog of a halt brings up no keyboard, which would cover its button", async () => {
    const { page } = await openConsole(visit, url, "chief", {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    await page.getByRole("button", { name: "Halt all trading" }).tap();
    expect(await page.getByRole("dialog").getByRole("button", { name: "Halt all trading" }).evaluate(hasFocus)).toBe(
      true,
    );
  });

  it("of what is halted already the dialog says since when and by whom; the button at the top is not the loudest then", async () => {
    const { page, problems } = await openConsole(visit, url);
    const button = page.getByRole("button", { name: "Halt all trading" });
    const background = (): Promise<string> =>
      page.evaluate("getComputedStyle(document.querySelector('#halt-all')).backgroundColor");
    expect(await background()).not.toBe("rgba(0, 0, 0, 0)");
    await button.click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.textContent()).not.toContain("already halted");
    await page.keyboard.press("Enter");
    await expect.poll(() => statusOf(page)).toMatch(/^All trading is halted/);
    await panel(page, "Trading")
      .getByText(/^Halted since .* by chief/)
      .waitFor();
    expect(await background()).toBe("rgba(0, 0, 0, 0)");
    expect(await violations(page)).toEqual([]);
    await button.click();
    expect(await dialog.textContent()).toMatch(
      /All trading is already halted since [\d:]+ UTC, by chief; sending it again replaces the reason\./,
    );
    await dialog.getByRole("combobox", { name: "Node" }).fill("Account[GOLD]");
    expect(await dialog.textContent()).not.toContain("already halted");
    expect(problems).toEqual([]);
  });

  it("D-PAGE 3: of what stays halted by a halt above it the dialog of a resume says so, and so does the proof, which is not green", async () => {
    await command("/trading/halt", { projectionPath: "Account[GOLD]/Symbol[AAPL]" });
    await command("/trading/halt", { projectionPath: "Account[GOLD]", reason: "limit breach" });
    const { page, problems } = await openConsole(visit, url);
    const node = rowOf(page, "Trading", "Account[GOLD]/Symbol[AAPL]");
    await node.getByRole("button", { name: "Resume" }).click();
    await page
      .getByRole("dialog")
      .getByText(/^Halted since [\d:]+ UTC by chief\. It will stay halted, as Account\[GOLD\] is halted\.$/)
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("textbox", { name: "Type RESUME to confirm" }).fill("RESUME");
    await page.keyboard.press("Enter");
    const stays = "is no longer halted itself, but trading there stays halted, as Account[GOLD] is halted. Read from";
    await expect.poll(() => statusOf(page)).toContain(`Account[GOLD]/Symbol[AAPL] ${stays}`);
    await page.locator(".status .partial").waitFor();
    expect(problems).toEqual([]);
  });

  it("before everything is resumed, the dialog names what stays halted, and what the engine has lost", async () => {
    const accounts = ["GOLD", "HEDGE1", "HEDGE2", "SILVER"];
    for (const account of accounts) await command("/trading/halt", { projectionPath: `Account[${account}]` });
    await command("/trading/halt", { reason: "venue is away" });
    const { page, problems } = await openConsole(visit, url, "chief", {}, "All trading has been halted");
    const list = await (await page.request.get(`${url}/api/admin/v1/trading/halts`)).json();
    const lost = [
      { operation: "haltTrading", target: "Account[PENSION]", reason: null, since: Date.now(), by: "chief" },
    ];
    await page.route("**/api/admin/v1/trading/halts", (route) => route.fulfill({ json: { ...list, lost } }));
    await page.getByRole("button", { name: "Resume all trading" }).click();
    const halted = "Halted individually: Account[GOLD], Account[HEDGE1], Account[HEDGE2] and 1 more.";
    await page
      .getByRole("dialog")
      .getByText(`by chief: venue is away. ${halted} Stops that the engine forgot: Account[PENSION].`)
      .waitFor();
    expect(await violations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("D-PAGE 3: after everything is resumed, the proof names the nodes that are still halted, in the colour of the pill", async () => {
    const { page, problems } = await openConsole(visit, url);
    await command("/trading/halt", { reason: "venue is away" });
    await page.getByRole("button", { name: "Resume all trading" }).click();
    // The page may not have read these when the proof is there.
    for (const account of ["GOLD", "HEDGE1", "HEDGE2", "SILVER"]) {
      await command("/trading/halt", { projectionPath: `Account[${account}]` });
    }
    await page.getByRole("textbox", { name: "Type RESUME ALL to confirm" }).fill("RESUME ALL");
    await page.keyboard.press("Enter");
    const still =
      /^Trading is running again\. Still halted: Account\[GOLD\], Account\[HEDGE1\], Account\[HEDGE2\] and 1 more\. Read/;
    await expect.poll(() => statusOf(page)).toMatch(still);
    await page.getByText("Trading is running, 4 nodes halted").waitFor();
    const colour = (of: string): Promise<unknown> =>
      page.evaluate(`getComputedStyle(document.querySelector("${of}")).color`);
    expect(await colour(".status [data-outcome]:not([hidden])")).toBe(await colour("#pill"));
    expect(await violations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("the dialog says what will be done while the scope is chosen, and what is cancelled is not sent", async () => {
    const { page } = await openConsole(visit, url);
    const sent = commandsOf(page);
    await page.getByRole("button", { name: "Halt all trading" }).click();
    const dialog = page.getByRole("dialog");
    const words = (): Promise<string[]> => dialog.getByRole("button").allTextContents();
    await dialog.getByRole("checkbox", { name: "Cancel all working orders" }).check();
    expect(await words()).toEqual(["Back", "Halt all trading and cancel all working orders"]);
    await dialog.getByRole("combobox", { name: "Node" }).fill("Account[GOLD");
    expect(await dialog.textContent()).toContain('segment "Account[" is not closed by "]"');
    expect(await words()).toEqual(["Back", "Halt one node"]);
    await dialog.getByRole("combobox", { name: "Node" }).fill("Account[GOLD]/Symbol[EUR/USD]");
    expect(await words()).toEqual(["Back", "Halt Account[GOLD]/Symbol[EUR/USD]"]);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(sent).toEqual([]);
  });

  it("services and sessions: what stops goes out with one key, what starts asks for a word", async () => {
    const { page, problems } = await openConsole(visit, url);
    const service = rowOf(page, "Services", "TWAP");
    await service.getByRole("button", { name: "Disable" }).click();
    await page.keyboard.press("Enter");
    await expect.poll(() => statusOf(page)).toMatch(/^TWAP is disabled\. Read from the engine/);
    // The button that had the focus is gone: the keyboard is beside it, not at the beginning of the page.
    await expect.poll(() => service.getByRole("button", { name: "Enable" }).evaluate(hasFocus)).toBe(true);
    await service.getByText(/^chief, /).waitFor();
    await service.getByRole("button", { name: "Enable" }).click();
    const question = page.getByRole("dialog", { name: "Enable TWAP" });
    await question.getByText(/^Disabled since [\d:]+ UTC by chief\.$/).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.type("ENABLE");
    await page.keyboard.press("Enter");
    await expect.poll(() => statusOf(page)).toMatch(/^TWAP is enabled/);
    const sessions = panel(page, "FIX sessions");
    await sessions.scrollIntoViewIfNeeded();
    const session = rowOf(page, "FIX sessions", "FIXCLIENT1");
    await session.getByRole("button", { name: "Disconnect" }).click();
    await page.keyboard.press("Enter");
    await expect.poll(() => statusOf(page)).toMatch(/^FIXCLIENT1 of OE1 is (disconnected|connected, connected at)/);
    await session.getByRole("button", { name: "Disable" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disable FIXCLIENT1 of OE1" }).click();
    await expect.poll(() => statusOf(page)).toMatch(/^FIXCLIENT1 of OE1 is disabled/);
    await session.getByRole("button", { name: "Enable" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("nodes that somebody else halted through the gateway are there, before and after the page was opened", async () => {
    await command("/trading/halt", { projectionPath: "Account[SILVER]", reason: "limit breach" });
    const { page } = await openConsole(visit, url);
    await panel(page, "Trading")
      .getByRole("row", { name: /^halted Account\[SILVER\] limit breach/ })
      .waitFor();
    await command("/trading/halt", { projectionPath: "Source[WEBDESK]" });
    await panel(page, "Trading")
      .getByRole("row", { name: /^halted Source\[WEBDESK\]/ })
      .waitFor({ timeout: 30_000 });
  }, 60_000);

  it("a user without the permission is told before trying, and nothing is sent", async () => {
    const { page, problems } = await openConsole(visit, url, "viewer");
    const note = "You may not halt or resume trading: you lack the permission HALT_RESUME_TRADING.";
    await panel(page, "Trading").getByText(note).waitFor();
    await panel(page, "Services").getByText("you lack the permission ENABLE_DISABLE_SERVICE").waitFor();
    const sent = commandsOf(page);
    const halt = page.getByRole("button", { name: "Halt all trading" });
    expect(await halt.getAttribute("aria-disabled")).toBe("true");
    await command("/trading/halt", { reason: "drill" });
    await page.getByText("All trading has been halted").waitFor();
    const style = (of: string): Promise<unknown> =>
      page.evaluate(`(({ color, backgroundColor, borderTopColor }) => [color, backgroundColor, borderTopColor])(
        getComputedStyle(document.querySelector("${of}")))`);
    expect(await style("#halt-all"), "grey, as what else is not offered").toEqual(
      await style(".services .commands button"),
    );
    await halt.focus();
    await page.keyboard.press("Enter");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await expect.poll(() => statusOf(page)).toContain("Nothing was sent: you lack the permission HALT_RESUME_TRADING.");
    expect(sent).toEqual([]);
    expect(problems).toEqual([]);
  });

  it.each([
    { width: 1440, height: 900, colorScheme: "light" },
    { width: 1024, height: 768, colorScheme: "dark" },
    { width: 390, height: 844, colorScheme: "light" },
    { width: 390, height: 844, colorScheme: "dark" },
  ] as const)("axe finds nothing, and nothing is cut off: $width wide, $colorScheme", async (screen) => {
    await command("/trading/halt", { projectionPath: "Account[SILVER]" });
    const { width, height, colorScheme } = screen;
    const { page } = await openConsole(visit, url, "chief", { viewport: { width, height }, colorScheme });
    await panel(page, "FIX sessions").scrollIntoViewIfNeeded();
    if (width < 700) await unfold(page, "FIX sessions");
    await rowOf(page, "FIX sessions", "FIXCLIENT1").waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    await page.getByRole("button", { name: "Halt all trading" }).click();
    const box = await page.getByRole("dialog").boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await expect.poll(() => statusOf(page)).toMatch(/^All trading is halted/);
    expect(await violations(page)).toEqual([]);
  });
});
