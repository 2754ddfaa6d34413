import type { Page, Route } from "playwright-core";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { GivenCommand } from "../../src/console/records.ts";
import { addViewer, InstallationFolder } from "../gateway/folder.ts";
import { requireBuild } from "../package/build.ts";
import { violations } from "../support/axe.ts";
import { useChromium } from "../support/chromium.ts";
import { pressEnterAt } from "../support/keyboard.ts";
import { openConsole, panel, rowOf, statusOf } from "./visit-console.ts";

/** The page looks again every ten seconds. */
const LATER = { timeout: 40_000 };

/** Of a stop that may have been done. */
const ADVICE = "Sending it again does no harm, otherwise stop it at the engine.";

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

/** Halts everything, with or without the cancels, as a person does. */
async function haltAll(page: Page, { cancels = false } = {}): Promise<void> {
  await page.getByRole("button", { name: "Halt all trading" }).click();
  const dialog = page.getByRole("dialog");
  if (cancels) await dialog.getByRole("checkbox", { name: "Cancel all working orders" }).check();
  await dialog.getByRole("button", { name: /^Halt all trading/ }).click();
  await dialog.waitFor({ state: "detached" });
}

/** The next halts do not arrive, and their response is a 504. */
async function loseHalts(page: Page): Promise<void> {
  const json = failure(504, "no response in 10 s");
  await page.route("**/trading/halt", (route) =>
    route.fulfill({ status: 504, headers: { "X-Admin-Outcome": "unknown" }, json }),
  );
}

/** The body of a response that the API gives in place of a result. */
function failure(status: number, message: string): object {
  return { status, error: "Failed", message };
}

/** Positions show this open size at one node. */
async function showOpenSize(page: Page, openBuySize: string): Promise<void> {
  const values = { averageCost: null, realizedPnL: null, unrealizedPnL: null, marketValue: null };
  const position = { projection: "Account[A]/Symbol[X]", account: "A", symbol: "X", size: "1", ...values };
  const body = JSON.stringify([{ ...position, totalCommission: null, openBuySize, openSellSize: "0" }]);
  await page.route("**/api/admin/v1/positions", (route) => route.fulfill({ contentType: "application/json", body }));
}

describe("D-PAGE 9: what is in doubt about a command stays on the console until somebody has dealt with it", () => {
  it("a halt with cancels that never arrived, where trading was halted before, is not a success and outlasts other commands", async () => {
    const { page } = await openConsole(visit, url);
    await haltAll(page);
    await expect.poll(() => statusOf(page)).toMatch(/^All trading is halted\. Read/);
    await loseHalts(page);
    await haltAll(page, { cancels: true });
    const doubt =
      `Halt all trading and cancel all working orders: no proof yet. ${ADVICE} ` +
      "The engine shows: All trading is halted";
    await expect.poll(() => statusOf(page), LATER).toContain(doubt);
    expect(await statusOf(page)).toContain("That is not this command's work: this proves nothing.");
    await rowOf(page, "Services", "TWAP").getByRole("button", { name: "Disable" }).click();
    await page.keyboard.press("Enter");
    await expect.poll(() => statusOf(page)).toMatch(/^TWAP is disabled\./);
    expect(await statusOf(page)).toContain(doubt);
    await page.getByRole("button", { name: "Acknowledge" }).click();
    await expect.poll(() => statusOf(page)).not.toContain("no proof yet");
    expect(await statusOf(page)).toMatch(/^TWAP is disabled\./);
  }, 120_000);

  it("begins with what to do first, in words of an operator; the cause is under Details, with the keyboard too", async () => {
    const { page, problems } = await openConsole(visit, url);
    await loseHalts(page);
    await haltAll(page);
    const status = page.getByRole("status");
    await status.getByText(`Halt all trading: it is not known whether it was done. ${ADVICE}`).waitFor();
    const cause = status.getByText("The engine does not answer: no response in 10 s. Status 504. Request ");
    expect(await cause.isVisible()).toBe(false);
    await pressEnterAt(page, status.getByText("Details"));
    await cause.waitFor();
    expect(await violations(page)).toEqual([]);
    await page.route("**/trading/status*", (route) => route.fulfill({ status: 504, json: {} }));
    await haltAll(page);
    const unread = `Halt all trading: no proof yet. ${ADVICE} The engine does not answer.`;
    await status.getByText(unread, { exact: true }).first().waitFor(LATER);
    expect(problems.filter((problem) => !/504/.test(problem))).toEqual([]);
  }, 120_000);

  it("orders that stay open are named, and the doubt ends by itself when open sizes are zero", async () => {
    const { page } = await openConsole(visit, url);
    await showOpenSize(page, "500");
    await haltAll(page, { cancels: true });
    await expect
      .poll(() => statusOf(page), LATER)
      .toMatch(/: Open orders stay, open: 500 at Account\[A\]\/Symbol\[X\]\. All trading is halted\. Read/);
    await page.getByRole("button", { name: "Acknowledge" }).waitFor();
    await showOpenSize(page, "0");
    await expect
      .poll(() => statusOf(page), LATER)
      .toMatch(/^All trading is halted\. Read from the engine at .* UTC\. No open orders\./);
  }, 120_000);
});

/** The console gets this outcome for the command of a request, as the gateway has learned it. */
async function recordLate(page: Page, requestId: string, late: Partial<GivenCommand>): Promise<void> {
  const command = { words: "Halt all trading", isStop: true, by: "chief", reason: null, at: Date.now(), message: null };
  const json = { stops: [], commands: [{ ...command, requestId, approves: null, awaited: null, ...late }] };
  await page.route("**/console/records.json", (route) => route.fulfill({ json }));
}

describe("D-PAGE 9: what the gateway learns of a command after its response", () => {
  it.each([
    ["applied late", "applied late", /Halt all trading: applied late\. The gateway has had the engine's reply since\./],
    ["state-shown", "applied", /Halt all trading: done\. The gateway has read since that the engine shows it\./],
    ["applied", "applied", /^All trading is halted\. Read from the engine at/],
    [
      "rejected late",
      "not applied",
      /Halt all trading: not done\. The engine is busy\. Nothing was stopped: send it again/,
    ],
  ] as const)(
    "ends the doubt, also where no read succeeds, and is its outcome among the last commands: %s",
    async (outcome, words, verdict) => {
      const { page } = await openConsole(visit, url);
      await haltAll(page);
      await expect.poll(() => statusOf(page)).toMatch(/^All trading is halted\. Read/);
      await loseHalts(page);
      const sent = page.waitForRequest("**/trading/halt");
      await haltAll(page);
      const requestId = (await sent).headers()["x-request-id"] ?? "";
      await expect.poll(() => statusOf(page), LATER).toContain("this proves nothing");
      const row = panel(page, "Last commands").getByRole("row", { name: "Halt all trading" }).first();
      await row.getByText("unknown", { exact: true }).waitFor();
      if (outcome !== "applied")
        await page.route("**/trading/status*", (route) =>
          route.fulfill({ status: 504, json: failure(504, "no response") }),
        );
      await recordLate(page, requestId, { outcome, message: "The engine is busy" });
      await row.getByText(words, { exact: true }).waitFor(LATER);
      await expect.poll(() => statusOf(page), LATER).toMatch(verdict);
      await expect.poll(() => row.textContent()).not.toContain("proves nothing");
    },
    120_000,
  );

  it.each([
    ["of another user", { by: "mallory" }],
    ["of another command", { words: "Halt Account[GOLD]" }],
  ])(
    "a record %s does not end it, though it has the same request id",
    async (_of, other) => {
      const { page } = await openConsole(visit, url);
      await loseHalts(page);
      const sent = page.waitForRequest("**/trading/halt");
      await haltAll(page);
      const requestId = (await sent).headers()["x-request-id"] ?? "";
      await expect.poll(() => statusOf(page), LATER).toContain("no proof yet");
      await recordLate(page, requestId, { outcome: "rejected late", message: "forged", ...other });
      const rows = panel(page, "Last commands").getByRole("row");
      await rows.getByText("forged").waitFor(LATER);
      await rows.getByText("unknown", { exact: true }).waitFor();
      expect(await statusOf(page)).toContain("no proof yet");
    },
    120_000,
  );
});

describe("D-PAGE 9: a stop that was not done, or may not have been", () => {
  it("says when it was given and what to do next, and is asked for again from there as it was", async () => {
    const { page, problems } = await openConsole(visit, url);
    const status = page.getByRole("status");
    const answer = async (status: number, outcome: string): Promise<void> => {
      const headers = { "X-Admin-Outcome": outcome };
      await page.route("**/trading/halt", (route) =>
        route.fulfill({ status, headers, json: failure(status, "no link") }),
      );
    };
    await answer(503, "not-applied");
    await page.getByRole("button", { name: "Halt a node" }).click();
    await page.keyboard.type("Account[GOLD]");
    const dialog = page.getByRole("dialog", { name: "Halt Account[GOLD]" });
    const reason = dialog.getByRole("textbox", { name: "Reason" });
    await reason.fill("runaway algo");
    await page.keyboard.press("Enter");
    await status
      .getByText(
        /^Halt Account\[GOLD\]: not done\. .* Nothing was stopped: send it again, otherwise stop it at the engine\.$/,
      )
      .waitFor();
    await status.getByText(/^sent \d\d:\d\d:\d\d UTC$/).waitFor();
    expect(await violations(page)).toEqual([]);
    await answer(504, "unknown");
    await status.getByRole("button", { name: "Halt again" }).click();
    expect(await reason.inputValue()).toBe("runaway algo");
    await page.keyboard.press("Enter");
    await status.getByText(`Halt Account[GOLD]: it is not known whether it was done. ${ADVICE}`).waitFor();
    await page.unroute("**/trading/halt");
    await status.getByRole("button", { name: "Halt again" }).click();
    await page.keyboard.press("Enter");
    await status
      .getByText(/^Account\[GOLD\] is halted \(runaway algo\)\. Read/)
      .first()
      .waitFor();
    expect(problems.filter((problem) => !/50[34]/.test(problem))).toEqual([]);
  }, 120_000);

  it("is not offered again to who may not send it, and a change that was not done is not either", async () => {
    const { page } = await openConsole(visit, url);
    const refuse = (route: Route): Promise<void> =>
      route.fulfill({ status: 403, json: failure(403, "freeze until 18:00") });
    await page.route("**/trading/halt", refuse);
    await haltAll(page);
    await expect
      .poll(() => statusOf(page))
      .toContain("Freeze until 18:00. Nothing was stopped: somebody who may must send it, otherwise stop it");
    expect(await page.getByRole("button", { name: "Halt again" }).isVisible()).toBe(false);
    await page.route("**/services/TWAP/*", (route) => route.fulfill({ status: 503, json: failure(503, "no link") }));
    await rowOf(page, "Services", "TWAP").getByRole("button", { name: "Disable" }).click();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Disable again" }).waitFor();
    await page.unroute("**/services/TWAP/*");
    await page.getByRole("button", { name: "Disable again" }).click();
    await page.keyboard.press("Enter");
    const enable = rowOf(page, "Services", "TWAP").getByRole("button", { name: "Enable" });
    await enable.waitFor();
    await page.route("**/services/TWAP/*", (route) => route.fulfill({ status: 503, json: failure(503, "no link") }));
    await enable.click();
    await page.keyboard.press("Tab");
    await page.keyboard.type("enable");
    await page.keyboard.press("Enter");
    await expect.poll(() => statusOf(page)).toMatch(/Enable TWAP: not done\. The engine does not answer\./);
    expect(await page.getByRole("button", { name: / again$/ }).count()).toBe(0);
  }, 120_000);
});

describe("D-PAGE 10: the state before a command is that of the moment when it is sent", () => {
  it("a dialog reads nothing, and says that working orders stay", async () => {
    const { page } = await openConsole(visit, url);
    await panel(page, "FIX sessions").scrollIntoViewIfNeeded();
    const session = rowOf(page, "FIX sessions", "FIXCLIENT1");
    await session.waitFor();
    const read: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/sessions/FIXCLIENT1")) read.push(request.method());
    });
    for (const verb of ["Disable", "Disconnect"]) {
      await session.getByRole("button", { name: verb }).click();
      await page.getByRole("dialog").getByText("Its working orders stay in the market.").waitFor();
      await page.keyboard.press("Escape");
    }
    await session.getByRole("button", { name: "Disconnect" }).click();
    expect(read).toEqual([]);
    await page.keyboard.press("Enter");
    await expect.poll(() => statusOf(page)).toMatch(/^FIXCLIENT1 of OE1 is/);
    expect(read.length).toBeGreaterThan(1);
  }, 120_000);
});
