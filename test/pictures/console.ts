// Makes the pictures of the console again: `npm run docs:pictures` those of the documents, `npm run docs:pictures -- FOLDER` whole pages at
// three widths, for whoever judges its looks. They show the demo.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { type AdminClient, createClient } from "../../src/client/client.ts";
import { basic } from "../../src/client/credentials.ts";
import { openChromium } from "../support/open-chromium.ts";

/** What the charts need to have a line. */
const CHARTS_MS = 150_000;
/** Something has happened, and has been read. */
const READ_MS = 20_000;

const USER = "operator";
const INSTALLATION = ["--gateway.console.name=Demo", "--gateway.console.colour=teal"];

type View = Pick<BrowserContextOptions, "viewport" | "colorScheme" | "deviceScaleFactor">;

/** Pages show it smaller than it is: its letters must be readable there. */
const WIDE = { viewport: { width: 1280, height: 600 }, deviceScaleFactor: 2 };
/** Of the documents, by the name of the file. */
const DOCUMENTS: Readonly<Record<string, View>> = {
  console: { ...WIDE, colorScheme: "light" },
  "console-dark": { ...WIDE, colorScheme: "dark" },
  "console-phone": { viewport: { width: 390, height: 740 }, deviceScaleFactor: 2, colorScheme: "dark" },
};
/** The last row or part that is in the window whole. */
const LAST_EDGE = `Math.max(...[...document.querySelectorAll("main tr, main .panel")]
  .map((part) => part.getBoundingClientRect().bottom)
  .filter((bottom) => bottom <= innerHeight))`;

const WIDTHS = [390, 1440, 1920];
const SCHEMES = ["light", "dark"] as const;

interface Demo {
  readonly url: string;
  readonly password: string;
  readonly client: AdminClient;
  stop(): Promise<void>;
}

async function startDemo(): Promise<Demo> {
  const folder = mkdtempSync(join(tmpdir(), "pictures-"));
  const args = [resolve("dist/cli/main.js"), "serve", "--server.port=0", ...INSTALLATION];
  const gateway = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  const listening = /listening on (http:\S+)/;
  gateway.stdout.setEncoding("utf8").on("data", (text) => {
    said += text;
  });
  while (!listening.test(said)) await Promise.race([once(gateway.stdout, "data"), once(gateway, "exit").then(failed)]);
  const [, url = ""] = listening.exec(said) ?? [];
  const password = readFileSync(join(folder, `.demo/${USER}.password`), "utf8").trim();
  const stop = async (): Promise<void> => {
    gateway.kill();
    await once(gateway, "exit");
    rmSync(folder, { recursive: true });
  };
  return { url, password, client: createClient({ baseUrl: url, credentials: basic(USER, password) }), stop };
}

function failed(): never {
  throw new Error("the demo does not start");
}

async function openConsole(browser: Browser, { url, password }: Demo, view: View): Promise<Page> {
  const hasTouch = (view.viewport?.width ?? 0) < 700;
  const context = await browser.newContext({ ...view, hasTouch, httpCredentials: { username: USER, password } });
  const page = await context.newPage();
  await page.goto(`${url}/console`);
  await page.getByText("Trading is running").first().waitFor();
  return page;
}

async function stopSome({ client }: Demo): Promise<void> {
  await client.disableService({ name: "TWAP", reason: "sends the same order again and again" });
  await client.haltTrading({ projectionPath: "Account[GOLD]", reason: "limit breach" });
  await pause(READ_MS);
  await client.haltTrading({ projectionPath: "Account[SILVER]/Symbol[AAPL]", reason: "bad algo" });
  await pause(READ_MS);
}

/** Those of the documents, and the dialog of a halt in front of positions. */
async function pictureDocuments(pages: readonly (readonly [string, Page])[]): Promise<void> {
  for (const [name, page] of pages) {
    const width = page.viewportSize()?.width ?? 0;
    const clip = { x: 0, y: 0, width, height: Number(await page.evaluate(LAST_EDGE)) };
    await page.screenshot({ path: `docs/images/${name}.png`, clip });
  }
  const [[, page] = []] = pages;
  await page?.locator(".positions").scrollIntoViewIfNeeded();
  await pause(READ_MS);
  // What was read meanwhile has moved it.
  await page?.evaluate("document.querySelector('.positions [data-state=halted]').scrollIntoView({ block: 'center' })");
  await page?.getByRole("button", { name: "Halt all trading" }).click();
  await page?.screenshot({ path: "docs/images/console-halt.png" });
}

/** Has everything read, what is not in sight as well. */
async function readAll(page: Page): Promise<void> {
  for (const age of await page.getByRole("button", { name: /read now$/ }).all()) await age.click();
  await page.evaluate("scrollTo(0, 0)");
  await pause(3_000);
}

async function pictureWhole(folder: string, state: string, pages: readonly (readonly [string, Page])[]): Promise<void> {
  for (const [name, page] of pages) {
    await readAll(page);
    await page.screenshot({ path: join(folder, `console-${state}-${name}.png`), fullPage: true });
  }
}

const [folder] = process.argv.slice(2);
const views: Readonly<Record<string, View>> =
  folder === undefined
    ? DOCUMENTS
    : Object.fromEntries(
        WIDTHS.flatMap((width) =>
          SCHEMES.map((colorScheme) => [`${width}-${colorScheme}`, { viewport: { width, height: 900 }, colorScheme }]),
        ),
      );
const demo = await startDemo();
const browser = await openChromium();
try {
  const opened = Object.entries(views).map(
    async ([name, view]) => [name, await openConsole(browser, demo, view)] as const,
  );
  const pages = await Promise.all(opened);
  await pause(CHARTS_MS);
  if (folder !== undefined) {
    await mkdir(folder, { recursive: true });
    await pictureWhole(folder, "running", pages);
  }
  await stopSome(demo);
  if (folder === undefined) await pictureDocuments(pages);
  else {
    await pictureWhole(folder, "some-halted", pages);
    await demo.client.haltTrading({ reason: "limit breach at the exchange" });
    await pause(READ_MS);
    await pictureWhole(folder, "all-halted", pages);
  }
} finally {
  await browser.close();
  await demo.stop();
}
