import { describe, expect, it } from "vitest";
import { createClient } from "../../src/client/client.ts";
import { basic } from "../../src/client/credentials.ts";
import type { PageRecords } from "../../src/console/records.ts";
import { CHIEF, PASSWORD } from "../gateway/folder.ts";
import { violations } from "../support/axe.ts";
import { useChromium } from "../support/chromium.ts";
import { openConsole, panel, rowOf, useInstallation } from "./visit-console.ts";

const visit = useChromium();
const folder = useInstallation();

function clientOf(url: string): ReturnType<typeof createClient> {
  return createClient({ baseUrl: url, credentials: basic("chief", PASSWORD) });
}

async function recordsOf(url: string): Promise<PageRecords> {
  const response = await fetch(`${url}/console/records.json`, { headers: { Authorization: CHIEF } });
  return (await response.json()) as PageRecords;
}

describe("D-PAGE 21: who gave which command, when, and what happened to it", () => {
  it("stands beside what is disabled, and in a list of the last commands", async () => {
    const { url } = await folder.start("");
    const client = clientOf(url);
    await client.disableService({ name: "TWAP", reason: "algo misprices" });
    await client.disableFixSession({ gateway: "OE1", session: "FIXCLIENT1" });
    await client.disableService({ name: "VWAP" });
    await expect(client.disableService({ name: "NOWHERE" })).rejects.toThrow();
    const { page, problems } = await openConsole(visit, url);
    await rowOf(page, "Services", "TWAP")
      .getByText(/^chief, \d\d:\d\d:\d\d UTC, \d+ s ago: algo misprices$/)
      .waitFor();
    // No reason is one: that of the engine's log looks as if somebody had given it.
    await rowOf(page, "Services", "VWAP")
      .getByText(/^chief, \d\d:\d\d:\d\d UTC, \d+ s ago$/)
      .waitFor();
    await panel(page, "FIX sessions").scrollIntoViewIfNeeded();
    await rowOf(page, "FIX sessions", "FIXCLIENT1")
      .getByText(/^chief, \d\d:\d\d:\d\d UTC, \d+ s ago$/)
      .waitFor();
    // The engine had it disabled before.
    await rowOf(page, "FIX sessions", "LEGACY").getByText("not known").waitFor();
    const commands = panel(page, "Last commands");
    const names = commands.locator("tbody").getByRole("rowheader");
    await expect.poll(() => names.count()).toBe(4);
    const given = ["Disable NOWHERE", "Disable VWAP", "Disable FIXCLIENT1 of OE1", "Disable TWAP"];
    expect(await names.allTextContents()).toEqual(given);
    const refused = rowOf(page, "Last commands", "Disable NOWHERE");
    await refused.getByText("not applied").waitFor();
    expect(await refused.locator("[data-state]").getAttribute("data-state"), "a stop is missed").toBe("partly");
    expect(await refused.textContent()).not.toContain("Service disabled");
    await rowOf(page, "Last commands", "Disable TWAP").getByText("applied", { exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("has no column while nothing is disabled", async () => {
    const { url } = await folder.start("");
    const { page } = await openConsole(visit, url);
    const services = panel(page, "Services");
    const twap = rowOf(page, "Services", "TWAP");
    await twap.waitFor();
    const title = services.getByRole("columnheader", { name: "Disabled by" });
    expect(await title.isVisible()).toBe(false);
    await clientOf(url).disableService({ name: "TWAP" });
    await services.getByRole("button", { name: /read now/ }).click();
    await twap.getByText(/^chief, /).waitFor();
    expect(await title.isVisible()).toBe(true);
  });

  it("says of a change of limits what it changed, and of many changes how many there are", async () => {
    const { url } = await folder.start("");
    const rows = ["EUR/USD", "USD/JPY", "AAPL", "MSFT"].map((symbol) => ({
      type: "UPDATE" as const,
      conditions: { Account: "*", Symbol: symbol },
      limits: { MaxOrderSize: "15" },
    }));
    const client = clientOf(url);
    await client.updateRiskTable({ projection: "Account/Symbol", commands: rows.slice(0, 1) });
    await client.updateRiskTable({ projection: "Account/Symbol", commands: rows });
    await client.adjustPosition({ projectionPath: "Account[GOLD]/Symbol[AAPL]", size: "5" });
    const { page } = await openConsole(visit, url);
    await rowOf(page, "Last commands", "Change the risk table Account/Symbol, 4 commands")
      .getByText("MaxOrderSize: 15; and 1 more")
      .waitFor();
    const one = ["MaxOrderSize of Account=* Symbol=EUR/USD to 15", "the position Account[GOLD]/Symbol[AAPL] to 5"];
    for (const words of one) {
      const row = rowOf(page, "Last commands", `Set ${words}`);
      await row.waitFor();
      expect(await row.textContent()).not.toContain("->");
    }
  });

  it("says nothing of default reasons, of a stop that was repeated either", async () => {
    const { url } = await folder.start("");
    const client = clientOf(url);
    for (const name of ["TWAP", "TWAP"]) await client.disableService({ name });
    const projectionPath = "Account[GOLD]";
    await client.haltTrading({ projectionPath });
    await expect.poll(() => client.getTradingStatus({ projectionPath })).toMatchObject({ halted: true });
    await client.haltTrading({ projectionPath });
    const { page } = await openConsole(visit, url);
    for (const row of [rowOf(page, "Services", "TWAP"), rowOf(page, "Trading", "Account[GOLD]")]) {
      await row.getByText(/; repeated [\d:]+ by chief$/).waitFor();
    }
    await rowOf(page, "Trading", "Account[GOLD]").getByRole("button", { name: "Resume" }).click();
    await page.keyboard.press("Tab");
    await page.keyboard.type("RESUME");
    await page.keyboard.press("Enter");
    await page
      .getByText(/^Account\[GOLD\] is not halted\. Read from the engine at/)
      .first()
      .waitFor();
    expect(await page.locator("body").textContent()).not.toMatch(/Service disabled|Trading (halted|resumed)/);
  });

  it("is not said to be unknown before the records of what was just disabled have been read", async () => {
    const { url } = await folder.start("");
    const { page } = await openConsole(visit, url);
    const service = rowOf(page, "Services", "TWAP");
    await service.getByText("enabled").waitFor();
    await panel(page, "Last commands").getByText("No commands recorded.").waitFor();
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/console/records.json", async (route) => {
      await held;
      await route.continue();
    });
    await clientOf(url).disableService({ name: "TWAP", reason: "drill" });
    const readNow = panel(page, "Services").getByRole("button", { name: /read now/ });
    // They are asked for before they would be due.
    await Promise.all([page.waitForRequest("**/console/records.json", { timeout: 20_000 }), readNow.click()]);
    await service.getByText("disabled", { exact: true }).waitFor();
    expect(await service.textContent()).not.toContain("not known");
    release();
    await service.getByText(/^chief, .*: drill$/).waitFor();
  });

  it("has the commands of the page with the proof that it has read, and those that never reached the gateway", async () => {
    const { url } = await folder.start("");
    const { page } = await openConsole(visit, url);
    await page.route("**/services/SIM/disable", (route) => route.abort());
    await rowOf(page, "Services", "SIM").getByRole("button", { name: "Disable" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disable SIM" }).click();
    await rowOf(page, "Services", "TWAP").getByRole("button", { name: "Disable" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disable TWAP" }).click();
    await rowOf(page, "Last commands", "Disable TWAP")
      .getByText(/^Read from the engine at \d\d:\d\d:\d\d UTC\.$/)
      .waitFor();
    expect(await rowOf(page, "Last commands", "Disable TWAP").count()).toBe(1);
    await rowOf(page, "Last commands", "Disable SIM").getByText("unknown", { exact: true }).waitFor();
    expect((await recordsOf(url)).commands.map(({ words }) => words)).toEqual(["Disable TWAP"]);
  });

  it("is known of commands before the start, from the audit file; a stop that was taken back is none", async () => {
    const file = `admin.audit.file: ${folder.file("audit.jsonl")}\n`;
    const first = await folder.start(file);
    const client = clientOf(first.url);
    await client.disableService({ name: "TWAP", reason: "drill" });
    await client.disableService({ name: "VWAP" });
    await client.enableService({ name: "VWAP" });
    await client.haltTrading({ projectionPath: "Account[GOLD]" });
    const { stops } = await recordsOf(first.url);
    expect(stops).toEqual([
      {
        operation: "disableService",
        target: "TWAP",
        targetFields: { name: "TWAP" },
        reason: "drill",
        since: expect.any(Number),
        by: "chief",
      },
    ]);
    await first.close();
    const { url } = await folder.start(file);
    await expect
      .poll(async () => (await recordsOf(url)).commands.map(({ words, outcome }) => `${words}: ${outcome}`))
      .toEqual([
        "Halt Account[GOLD]: applied",
        "Enable VWAP: applied",
        "Disable VWAP: applied",
        "Disable TWAP: applied",
      ]);
  });
});
