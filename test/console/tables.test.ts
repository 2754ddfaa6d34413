import type { Page } from "playwright-core";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createClient } from "../../src/client/client.ts";
import { basic } from "../../src/client/credentials.ts";
import { addViewer, InstallationFolder, PASSWORD } from "../gateway/folder.ts";
import { requireBuild } from "../package/build.ts";
import { violations } from "../support/axe.ts";
import { useChromium } from "../support/chromium.ts";
import { pressEnterAt, typeInto } from "../support/keyboard.ts";
import { openConsole, panel, rowOf } from "./visit-console.ts";

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

/** Names of the rows of a part of the page, from top to bottom. */
function namesIn(page: Page, part: string): Promise<string[]> {
  return panel(page, part).locator("tbody").getByRole("rowheader").allTextContents();
}

async function showSessions(page: Page): Promise<void> {
  await panel(page, "FIX sessions").scrollIntoViewIfNeeded();
  await rowOf(page, "FIX sessions", "XETRA1").waitFor();
}

const POSITION = {
  projection: "Account[GOLD]/Symbol[AAPL]",
  account: "GOLD",
  symbol: "AAPL",
  size: "-1200",
  averageCost: "1.0857142857142857",
  marketValue: "12345678901234567890.125",
  unrealizedPnL: "-1634.85009746535",
  realizedPnL: "-0.000000001",
  totalCommission: "NaN",
  openBuySize: null,
  openSellSize: "0",
};

async function servePositions(page: Page, ...positions: readonly object[]): Promise<void> {
  await page.route("**/api/admin/v1/positions", (route) => route.fulfill({ json: positions }));
  await panel(page, "Positions")
    .getByRole("button", { name: /read now/ })
    .click();
  await panel(page, "Positions").getByText(`${positions.length} position`).waitFor();
}

describe("D-PAGE 12: tables are filtered and ordered by what operators look for, and the address says how", () => {
  it("the worst comes first: a disabled session, a service without connection, a halted node", async () => {
    const { page } = await openConsole(visit, url);
    await showSessions(page);
    expect((await namesIn(page, "FIX sessions"))[0]).toBe("LEGACY");
    const states = await panel(page, "Services").locator("tbody td[data-state]").allTextContents();
    const rank = (state: string): number => ["■", "▲", "?", "●"].indexOf(state.charAt(0));
    expect(states.map(rank)).toEqual(states.map(rank).toSorted((a, b) => a - b));
  });

  it.each([
    ["status", "disabled", ["LEGACY"]],
    ["gateway", "rfq1", ["BONDS", "EUR/USD desk"]],
    ["peer", "192.0.2.20", ["CME1"]],
    ["status and gateway", "connected md1", ["CHARTS", "MDCLIENT1", "MDCLIENT2"]],
    ["part of the name", "client1", ["FIXCLIENT1", "MDCLIENT1"]],
  ])("FIX sessions by %s", async (_, words, names) => {
    const { page } = await openConsole(visit, url);
    await showSessions(page);
    await typeInto(page, panel(page, "FIX sessions").getByRole("searchbox"), words);
    await expect.poll(async () => (await namesIn(page, "FIX sessions")).toSorted()).toEqual(names);
    await panel(page, "FIX sessions").getByText(`${names.length} of 12 shown`).waitFor();
    await page.reload();
    await panel(page, "FIX sessions").scrollIntoViewIfNeeded();
    await expect.poll(async () => (await namesIn(page, "FIX sessions")).toSorted()).toEqual(names);
  });

  it("by any column, twice the other way round, three times as at the beginning, with the keyboard too", async () => {
    const { page, problems } = await openConsole(visit, url);
    await showSessions(page);
    const sessions = panel(page, "FIX sessions");
    const beginning = await namesIn(page, "FIX sessions");
    const head = sessions.getByRole("button", { name: "Session", exact: true });
    await pressEnterAt(page, head);
    const ascending = beginning.toSorted();
    expect(await namesIn(page, "FIX sessions")).toEqual(ascending);
    await page.keyboard.press("Enter");
    expect(await namesIn(page, "FIX sessions")).toEqual(ascending.toReversed());
    expect(new URL(page.url()).search).toBe("?sessions.sort=-session");
    await page.keyboard.press("Enter");
    expect((await namesIn(page, "FIX sessions"))[0]).toBe("LEGACY");
    expect(new URL(page.url()).search).toBe("");
    await rowOf(page, "Services", "SIM").waitFor();
    await typeInto(page, panel(page, "Services").getByRole("searchbox", { name: "Filter services" }), "dma connector");
    await expect.poll(() => namesIn(page, "Services")).not.toContain("TWAP");
    expect(problems).toEqual([]);
  });

  it("positions of an account are together while nobody asks for another order; a filter that finds nothing says so", async () => {
    const { page } = await openConsole(visit, url);
    const [gold, silver, other] = ["Account[GOLD]/Symbol[SAP]", "Account[SILVER]/Symbol[AAPL]", POSITION.projection];
    await servePositions(page, ...[silver, gold, other].map((projection) => ({ ...POSITION, projection })));
    const rows = panel(page, "Positions").locator("tbody tr:not(.spacer)");
    await expect.poll(() => rows.allTextContents()).toHaveLength(3);
    const keys = (await rows.allTextContents()).map((text) => /^[A-Z]+/.exec(text)?.[0]);
    expect(keys).toEqual(["GOLDAAPL", "GOLDSAP", "SILVERAAPL"]);
    await typeInto(page, panel(page, "Positions").getByRole("searchbox"), "bronze");
    await panel(page, "Positions").getByText("None of 3 matches the filter.").waitFor();
    await typeInto(page, panel(page, "Services").getByRole("searchbox"), "bronze");
    await panel(page, "Services")
      .getByText(/^None of \d+ matches the filter$/)
      .waitFor();
  });

  it("hides columns of positions, and the address keeps them away", async () => {
    const { page } = await openConsole(visit, url);
    await servePositions(page, POSITION);
    const positions = panel(page, "Positions");
    await positions.getByText("Columns", { exact: true }).click();
    await positions.getByRole("checkbox", { name: "Commission" }).uncheck();
    const titles = (): Promise<string[]> => positions.getByRole("columnheader").allTextContents();
    expect(await titles()).not.toContain("Commission");
    expect(await violations(page)).toEqual([]);
    await page.reload();
    await expect.poll(titles).toContain("Realized");
    expect(await titles()).not.toContain("Commission");
  });
});

describe("D-PAGE 23: a link shows the same to whoever opens it", () => {
  it("chosen projections are in the address, that of the root too, whatever another browser remembers", async () => {
    const { page } = await openConsole(visit, url);
    const risk = panel(page, "Risk limits").getByRole("combobox", { name: "Projection of risk limits" });
    const positions = panel(page, "Positions").getByRole("combobox", { name: "Projection of positions" });
    await positions.selectOption("Account/Currency");
    await risk.selectOption("");
    const query = "?positions.by=Account%2FCurrency&risk.by=.";
    await expect.poll(() => new URL(page.url()).search).toBe(query);
    const { page: other } = await openConsole(visit, url);
    await other.evaluate(`localStorage.setItem("trading-console", '{"positions":"Account/Symbol","risk":"Source"}')`);
    await other.goto(`${url}/console${query}`);
    await panel(other, "Risk limits").getByRole("rowheader", { name: "all orders" }).waitFor();
    const shown = panel(other, "Positions").getByRole("combobox", { name: "Projection of positions" });
    expect(await shown.inputValue()).toBe("Account/Currency");
    await panel(other, "Positions").getByText("Columns", { exact: true }).click();
    expect(await panel(other, "Positions").getByRole("checkbox", { name: "Symbol" }).count(), "of the projection").toBe(
      0,
    );
  });

  it.each(["Trading", "Services", "Risk limits", "Positions", "FIX sessions", "Last commands"])(
    "columns of %s can be hidden",
    async (part) => {
      const client = createClient({ baseUrl: url, credentials: basic("chief", PASSWORD) });
      await client.haltTrading({ projectionPath: "Account[GOLD]", reason: "drill" });
      const { page } = await openConsole(visit, url);
      const shown = panel(page, part);
      await shown.scrollIntoViewIfNeeded();
      await shown.getByText("Columns", { exact: true }).click();
      const box = shown.getByRole("checkbox").first();
      const title = (await box.locator("..").textContent()) ?? "";
      await shown.getByRole("columnheader", { name: title, exact: true }).waitFor();
      await box.uncheck();
      await shown.getByRole("columnheader", { name: title, exact: true }).waitFor({ state: "detached" });
      expect(new URL(page.url()).search).toMatch(/^\?[a-z]+\.hide=/);
    },
  );
});

describe("D-PAGE 13: numbers of limits and sessions", () => {
  it("are grouped, and exact in a copy", async () => {
    const { page } = await openConsole(visit, url);
    const limits = { MaxOrderSize: "1234567.1234567", MaxOrderValue: null };
    const rows = [{ conditions: { Account: "GOLD", Symbol: "*" }, limits }];
    await page.route("**/api/admin/v1/risk/table?*", (route) =>
      route.fulfill({ json: { projection: "Account/Symbol", rows } }),
    );
    await panel(page, "Risk limits")
      .getByRole("button", { name: /read now/ })
      .click();
    const cell = panel(page, "Risk limits").locator("td[data-exact='1234567.1234567']");
    await cell.waitFor();
    expect(await cell.getAttribute("title")).toBe("1234567.1234567");
    expect(await copied(page, "tbody", ".risk")).toBe("GOLD\t*\t1234567.1234567\tunlimited");
    const session = {
      gatewayName: "OE1",
      sessionId: "A",
      status: "Connected",
      localPort: null,
      remoteIp: null,
      remotePort: null,
      inboundSequence: 1234567,
      outboundSequence: null,
    };
    await page.route("**/fix/gateways/OE1/sessions", (route) => route.fulfill({ json: [session] }));
    await panel(page, "FIX sessions").scrollIntoViewIfNeeded();
    await panel(page, "FIX sessions")
      .getByRole("button", { name: /read now/ })
      .click();
    await panel(page, "FIX sessions").locator("td[data-exact='1234567']").getByText("1,234,567").waitFor();
  });
});

describe("D-PAGE 13: numbers of positions", () => {
  it("are short for the eye, and exact at the pointer, for screen readers and in a copy; only losses are red", async () => {
    const { page } = await openConsole(visit, url);
    await servePositions(page, POSITION);
    const row = rowOf(page, "Positions", "GOLD");
    const shown = await row
      .locator("td")
      .evaluateAll((cells: readonly Cell[]) =>
        cells.map(({ dataset, title, classList }) => [dataset.short, title, classList.contains("loss")]),
      );
    expect(shown.slice(1, -1)).toEqual([
      ["-1,200", "", false],
      ["1.08571", "1.0857142857142857", false],
      ["12,345,678,901,234,567,890.13", "12345678901234567890.125", false],
      ["-1,634.85", "-1634.85009746535", true],
      ["-0.00", "-0.000000001", true],
      ["NaN", "", false],
      [undefined, "", false],
      ["0", "", false],
    ]);
    await page.getByRole("row", { name: /^GOLD AAPL -1,200 1\.0857142857142857 .* -1634\.85009746535/ }).waitFor();
    expect(await copied(page, "td[data-exact^='1.08']")).toBe("1.0857142857142857");
    expect(await copied(page, "tbody")).toBe(
      "GOLD\tAAPL\t-1200\t1.0857142857142857\t12345678901234567890.125\t-1634.85009746535\t-0.000000001\tNaN\t–\t0",
    );
  });

  it.each([1440, 1920])("all ten columns are in sight, %i pixels wide", async (width) => {
    const { page } = await openConsole(visit, url, "chief", { viewport: { width, height: 900 } });
    const long = { size: "-1234567.25", averageCost: "5012.53947368421", marketValue: "-18929029.5" };
    await servePositions(page, { ...POSITION, ...long, totalCommission: "16776.874225" });
    const scroller = panel(page, "Positions").getByRole("group", { name: "Positions, scrollable" });
    const [content, room] = await scroller.evaluate((part: Box) => [part.scrollWidth, part.clientWidth]);
    expect(content).toBe(room);
  });
});

interface Cell {
  readonly dataset: Readonly<Record<string, string | undefined>>;
  readonly title: string;
  readonly classList: { contains(name: string): boolean };
}

interface Box {
  readonly scrollWidth: number;
  readonly clientWidth: number;
}

/** What is copied when a part of the positions is selected. */
function copied(page: Page, selector: string, part = ".positions"): Promise<unknown> {
  return page.evaluate(`(() => {
    const part = document.querySelector("${part} ${selector}");
    getSelection().selectAllChildren(part);
    const event = new ClipboardEvent("copy", { clipboardData: new DataTransfer(), bubbles: true, cancelable: true });
    part.dispatchEvent(event);
    return event.clipboardData.getData("text/plain");
  })()`);
}

describe("D-VAL 12: one bad value hides nothing else on the console", () => {
  it("the field is - in its row, the other rows are there, and the panel says what the engine got wrong", async () => {
    const { page } = await openConsole(visit, url);
    const warning = "The engine's reply breaks its contract: size is null in Account[GOLD]/Symbol[AAPL]";
    const rows = [
      { ...POSITION, size: null },
      { ...POSITION, projection: "Account[SILVER]/Symbol[AAPL]", account: "SILVER" },
    ];
    await page.route("**/api/admin/v1/positions", (route) =>
      route.fulfill({ json: rows, headers: { "X-Admin-Warning": warning } }),
    );
    const positions = panel(page, "Positions");
    await positions.getByRole("button", { name: /read now/ }).click();
    await positions.getByText(warning).waitFor();
    await positions.getByRole("row", { name: /^GOLD AAPL – 1\.0857142857142857 / }).waitFor();
    await positions.getByRole("row", { name: /^SILVER AAPL -1,200 1\.0857142857142857 / }).waitFor();
  });
});
