import type { Page } from "playwright-core";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createClient } from "../../src/client/client.ts";
import { basic } from "../../src/client/credentials.ts";
import { addViewer, InstallationFolder, PASSWORD } from "../gateway/folder.ts";
import { requireBuild } from "../package/build.ts";
import { violations } from "../support/axe.ts";
import { useChromium } from "../support/chromium.ts";
import { typeInto } from "../support/keyboard.ts";
import { boxOf, openConsole, panel, rowOf, unfold } from "./visit-console.ts";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
/** Room between two parts of the page, in pixels. */
const GAP = 12;
/** Pixels of what a finger touches, and between two such things. */
const FINGER = 44;
const MIN_FINGER_GAP = 8;
const MAX_PHONE_TOP = 108;

const visit = useChromium();
let folder: InstallationFolder;
let url: string;
let client: ReturnType<typeof createClient>;

beforeAll(requireBuild);

beforeEach(async () => {
  folder = new InstallationFolder();
  addViewer(folder);
  ({ url } = await folder.start("gateway.console.name: LONDON PROD"));
  client = createClient({ baseUrl: url, credentials: basic("chief", PASSWORD) });
});

afterEach(() => folder.close());

/** Has one position with three keys, and numbers of a busy day. */
async function showThreeKeys(page: Page): Promise<void> {
  const keys = { source: "ALGODESK", account: "GOLD", symbol: "EUR/USD" };
  const money = {
    marketValue: "-18929029.5",
    unrealizedPnL: "-1957.5",
    realizedPnL: "-219.25",
    totalCommission: "1059.31",
  };
  const sizes = { size: "-140000", averageCost: "5012.5", openBuySize: "20000", openSellSize: "0" };
  const projection = "Source[ALGODESK]/Account[GOLD]/Symbol[EUR/USD]";
  await page.route("**/api/admin/v1/positions*", (route) =>
    route.fulfill({ json: [{ projection, ...keys, ...money, ...sizes }] }),
  );
  await panel(page, "Positions").getByRole("combobox").selectOption("Source/Account/Symbol");
}

interface Scrolled {
  readonly scrollWidth: number;
  readonly clientWidth: number;
}

/** Everything has been read: parts are as high as they will be. */
async function settled(page: Page): Promise<void> {
  for (const [part, text] of [
    ["Positions", /\d positions/],
    ["Risk limits", "EUR/USD"],
    ["FIX sessions", "OE1: "],
  ] as const) {
    await panel(page, part).scrollIntoViewIfNeeded();
    await panel(page, part).getByText(text).filter({ visible: true }).first().waitFor();
  }
  await page.evaluate("scrollTo(0, 0)");
}

describe("D-PAGE 25: wide screens", () => {
  it.each([1280, 1440, 1920])(
    "have the links beside the state of trading, however long that is: %i wide",
    async (width) => {
      await client.haltTrading({ projectionPath: "Account[GOLD]" });
      await client.haltTrading({ projectionPath: "Account[SILVER]" });
      const { page } = await openConsole(visit, url, "chief", { viewport: { width, height: 900 } });
      const row = [
        page.locator("h1"),
        page.locator("#pill"),
        page.locator("nav"),
        page.locator("#user"),
        page.locator("#halt-all"),
      ];
      for (const words of [
        "Trading is running, 2 nodes halted",
        "Last seen: Trading is running, 12 nodes halted, engine forgot 12 stops",
      ]) {
        await page.evaluate(`document.getElementById("pill").textContent = ${JSON.stringify(words)}`);
        const boxes = await Promise.all(row.map(boxOf));
        const middles = boxes.map(({ y, height }) => y + height / 2);
        expect(Math.max(...middles) - Math.min(...middles)).toBeLessThan(10);
        for (const [at, { x }] of boxes.slice(1).entries()) {
          const before = boxes[at];
          expect(x).toBeGreaterThan((before?.x ?? 0) + (before?.width ?? 0));
        }
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      }
    },
  );

  it("D-PAGE 14: have the state of trading in one line, with what is halted and what the engine forgot: 1440 wide", async () => {
    const { page } = await openConsole(visit, url);
    const pill = page.locator("#pill");
    const { height } = await boxOf(pill);
    const words = "Trading is running, 2 nodes halted, engine forgot 3 stops";
    await page.evaluate(`document.getElementById("pill").textContent = ${JSON.stringify(words)}`);
    expect((await boxOf(pill)).height).toBe(height);
  });

  it("have two columns of parts where both fit, each without a gap: 1920 wide", async () => {
    const { page, problems } = await openConsole(visit, url, "chief", { viewport: { width: 1920, height: 1080 } });
    await settled(page);
    const columns = [["Trading", "Services", "Risk limits", "FIX sessions", "Last commands"], ["Positions"]];
    for (const parts of columns) {
      const boxes = await Promise.all(parts.map((part) => boxOf(panel(page, part))));
      for (const [at, { x, y, width }] of boxes.slice(1).entries()) {
        const above = boxes[at];
        expect({ x, width }).toEqual({ x: above?.x, width: above?.width });
        expect(y - (above?.y ?? 0) - (above?.height ?? 0), parts[at + 1]).toBeCloseTo(GAP);
      }
    }
    const [left, right] = [await boxOf(panel(page, "Trading")), await boxOf(panel(page, "Positions"))];
    expect(right.y).toBe(left.y);
    expect(right.x - left.x - left.width).toBeCloseTo(GAP);
    for (const part of columns.flat()) {
      const [{ y, height }, last] = await Promise.all([
        boxOf(panel(page, part)),
        boxOf(panel(page, part).locator(".panel-body > :visible, .hint").last()),
      ]);
      // But for its border, and the room for the ring of a table.
      expect(y + height - last.y - last.height, `${part} is as high as what is in it`).toBeLessThan(4);
    }
    expect(problems).toEqual([]);
  });

  it("have room for positions with three keys while all trading is halted: 1920 wide", async () => {
    await client.haltTrading({});
    const view = { viewport: { width: 1920, height: 1080 } };
    const { page } = await openConsole(visit, url, "chief", view, "All trading has been halted");
    const positions = panel(page, "Positions");
    await showThreeKeys(page);
    await positions.getByText("halted with all").first().waitFor();
    const sideways = (): Promise<number> =>
      positions.locator(".scroller").evaluate((part: Scrolled) => part.scrollWidth - part.clientWidth);
    await expect.poll(sideways).toBe(0);
  });

  it("have positions directly below the state of trading, and parts in the order in which the Tab key visits them: 1440 wide", async () => {
    const { page } = await openConsole(visit, url);
    await settled(page);
    const tops = await page.evaluate("[...document.querySelectorAll('.panel')].map((part) => part.offsetTop)");
    expect(tops).toEqual([...(tops as number[])].sort((a, b) => a - b));
    const [trading, positions] = [await boxOf(panel(page, "Trading")), await boxOf(panel(page, "Positions"))];
    expect(positions.y - trading.y - trading.height).toBeCloseTo(GAP);
  });
});

describe("D-PAGE 29: a phone's header", () => {
  it("takes little of the screen while nodes are halted, and what is in it is large enough for a finger, with a gap between", async () => {
    await client.haltTrading({ projectionPath: "Account[GOLD]" });
    const { page, problems } = await openConsole(visit, url, "chief", PHONE);
    await page.getByText("Trading is running, 1 node halted").waitFor();
    expect((await boxOf(page.locator("#top"))).height).toBeLessThanOrEqual(MAX_PHONE_TOP);
    const links = await page.getByRole("navigation").getByRole("link").all();
    const boxes = await Promise.all([...links, page.locator("#log-out")].map(boxOf));
    for (const [at, { x, width, height }] of boxes.entries()) {
      expect(Math.min(width, height)).toBeGreaterThanOrEqual(FINGER);
      const before = boxes[at - 1];
      if (before) expect(x - before.x - before.width).toBeGreaterThanOrEqual(MIN_FINGER_GAP);
    }
    expect((await boxOf(page.locator("#halt-all"))).height).toBeGreaterThanOrEqual(FINGER);
    await page.locator("#log-out").scrollIntoViewIfNeeded();
    const { x, width } = await boxOf(page.locator("#log-out"));
    expect(x + width).toBeLessThanOrEqual(PHONE.viewport.width);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(PHONE.viewport.width);
    expect(await violations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

describe("D-PAGE 26: on a phone, what is as it should be is folded", () => {
  it("services and sessions begin with those that are not; a button says how many others there are, and shows them", async () => {
    const { page, problems } = await openConsole(visit, url, "chief", PHONE);
    const services = panel(page, "Services");
    await rowOf(page, "Services", "XETRA1").waitFor();
    expect(await rowOf(page, "Services", "TWAP").count()).toBe(0);
    expect(await services.getByRole("button", { name: /^Show \d+ running$/, expanded: false }).count()).toBe(1);
    expect(await violations(page)).toEqual([]);
    await unfold(page, "Services");
    await rowOf(page, "Services", "TWAP").getByRole("button", { name: "Disable" }).waitFor();
    await services.getByRole("button", { name: /^Hide \d+ running$/, expanded: true }).click();
    await rowOf(page, "Services", "TWAP").waitFor({ state: "detached" });
    await typeInto(page, services.getByRole("searchbox"), "twap");
    await rowOf(page, "Services", "TWAP").waitFor();
    expect(problems).toEqual([]);
  });

  it("positions show those that are halted, and the whole page is a few screens", async () => {
    const { page, problems } = await openConsole(visit, url, "chief", PHONE);
    const positions = panel(page, "Positions");
    await positions.getByRole("button", { name: /^Show \d+ positions$/ }).waitFor();
    expect(await positions.getByRole("table").isVisible()).toBe(false);
    expect(await positions.getByText("positions.").isVisible(), "counted once").toBe(false);
    await settled(page);
    const { height } = PHONE.viewport;
    expect(Number(await page.evaluate("document.documentElement.scrollHeight"))).toBeLessThan(4 * height);
    await client.haltTrading({ projectionPath: "Account[GOLD]" });
    await positions.getByText("halted at Account", { exact: true }).first().waitFor();
    const names = await positions.getByRole("rowheader").allTextContents();
    expect(new Set(names)).toEqual(new Set(["GOLD"]));
    await client.haltTrading({});
    await page
      .getByText(/^All trading (is|has been) halted/)
      .first()
      .waitFor();
    expect(new Set(await positions.getByRole("rowheader").allTextContents()), "where all are, none stands out").toEqual(
      new Set(["GOLD"]),
    );
    expect(problems).toEqual([]);
  });

  it("a position with three keys has its mark beside them, not on one of them", async () => {
    await client.haltTrading({ projectionPath: "Account[GOLD]" });
    const { page } = await openConsole(visit, url, "chief", PHONE);
    await showThreeKeys(page);
    const row = panel(page, "Positions").locator("tbody tr", { hasText: "halted at Account" }).first();
    await row.waitFor();
    const [mark, ...keys] = await Promise.all(
      [row.locator("[data-state]"), row.getByRole("rowheader"), ...(await row.locator("td.text").all())].map(boxOf),
    );
    expect(keys.length).toBe(3);
    for (const { x, y, width, height } of keys) {
      const isBeside = x + width <= (mark?.x ?? 0) || y >= (mark?.y ?? 0) + (mark?.height ?? 0);
      expect(isBeside, JSON.stringify({ mark, x, y, width, height })).toBe(true);
    }
  });

  it("nothing is on a wider screen", async () => {
    const { page } = await openConsole(visit, url);
    await rowOf(page, "Services", "TWAP").waitFor();
    expect(await page.getByRole("button", { name: /^Show \d/ }).count()).toBe(0);
  });
});
