import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Authenticator } from "../../src/auth/authenticator.ts";
import { consolePage } from "../../src/console/console-page.ts";
import type { Output } from "../../src/core/operations/table.ts";
import { principal } from "../../src/core/principal.ts";
import { adminHandler } from "../../src/http/node.ts";
import { startTestRig } from "../../src/testing/rig.ts";
import { requireBuild } from "../package/build.ts";
import { useChromium } from "../support/chromium.ts";
import { threadWork } from "../support/thread-work.ts";
import { LongList } from "./long-list.ts";
import { panel } from "./visit-console.ts";

/** More than are there as a whole: scrolling makes rows, as it does with many. */
const FEW = 200;
const MANY = 10_000;
/** What fifty times the rows may cost the page's thread at a stretch. */
const MAX_RATIO = 3;
const ROUNDS = 3;

const ANYBODY: Authenticator = { authenticate: () => ({ kind: "principal", principal: principal("anybody", []) }) };

const visit = useChromium();

beforeAll(requireBuild);

/** A console whose engine has as many positions as it is told; they are others at each read. */
async function openList(): Promise<{
  page: Page;
  problems: readonly string[];
  show(count: number): Promise<LongList>;
}> {
  const rig = await startTestRig();
  let count = FEW;
  let reads = 0;
  // Each row is compared with what is halted.
  await rig.as("chief").haltTrading({ projectionPath: "Account[A4]" });
  vi.spyOn(rig.engine, "listPositions").mockImplementation(async () => {
    reads += 1;
    return Array.from({ length: count }, (_, at) => position(at, reads));
  });
  const documents = consolePage();
  const server = createServer(adminHandler(rig.api, { authenticator: ANYBODY, documents })).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await rig.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { page, problems } = await visit(origin, { viewport: { width: 1440, height: 900 } });
  await page.goto(`${origin}/console`);
  const list = await LongList.of(page);
  const show = async (wanted: number): Promise<LongList> => {
    count = wanted;
    await list.read();
    await panel(page, "Positions")
      .getByText(`${wanted.toLocaleString("en")} positions.`)
      .waitFor();
    return list;
  };
  return { page, problems, show };
}

function position(at: number, read: number): Output<"listPositions">[number] {
  const [account, symbol] = [`A${at % 100}`, `S${Math.floor(at / 100)}`];
  const long = `-${read}2345678901234567${at % 10}.000000000000123456789`;
  return {
    projection: `Account[${account}]/Symbol[${symbol}]`,
    account,
    symbol,
    size: `${(at * 7_919) % 10_007}.000000000000000000001`,
    averageCost: `${at}.25`,
    realizedPnL: long,
    unrealizedPnL: long,
    marketValue: long,
    totalCommission: long,
    openBuySize: long,
    openSellSize: long,
  };
}

const GESTURES: Readonly<Record<string, (list: LongList) => Promise<void>>> = {
  "reading them again": (list) => list.read(),
  "the wheel": (list) => list.wheel(25, 120),
  "the keyboard": (list) => list.press("PageDown", 6),
  "a filter": (list) => list.filter("A4"),
  sorting: (list) => list.sort(),
};

/** The longest piece of work of each gesture; of some rounds the best, since other work on the machine disturbs some. */
async function longestTasks(page: Page, list: LongList): Promise<Map<string, number>> {
  const longest = new Map<string, number>();
  for (const [name, gesture] of Object.entries(GESTURES)) {
    for (let round = 0; round < ROUNDS; round += 1) {
      await list.press("Home", 1);
      const { tasks } = await threadWork(page, () => gesture(list));
      longest.set(name, Math.min(tasks[0] ?? 0, longest.get(name) ?? Number.POSITIVE_INFINITY));
    }
  }
  return longest;
}

describe("10,000 positions without a stutter", () => {
  it("D-PAGE 7: nothing takes the page's thread three times as long at a stretch as with 200", async () => {
    const { page, problems, show } = await openList();
    const few = await longestTasks(page, await show(FEW));
    const many = await longestTasks(page, await show(MANY));
    for (const [name, ms] of many) {
      const before = few.get(name) ?? 0;
      expect(ms, name).toBeGreaterThan(0);
      expect(ms / before, `${name}: ${ms} ms, and ${before} ms with ${FEW}`).toBeLessThan(MAX_RATIO);
    }
    expect(problems).toEqual([]);
  }, 120_000);
});
