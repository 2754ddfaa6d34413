import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { COMMAND, requireCommand } from "../cli/command.ts";
import { InstallationFolder, PASSWORD } from "../gateway/folder.ts";
import { openChromium } from "../support/chromium.ts";
import { answerOf, execute, tryOut, type Visit, visit } from "./visit.ts";

const run = promisify(execFile);
const CREDENTIALS = { username: "chief", password: PASSWORD };

let browser: Browser;
let folder: InstallationFolder;
let url: string;

beforeAll(async () => {
  requireCommand();
  browser = await openChromium();
}, 300_000);

afterAll(() => browser.close());

beforeEach(async () => {
  folder = new InstallationFolder();
  ({ url } = await folder.start(""));
});

afterEach(() => folder.close());

/** The page as the user sees it once it has logged in at the browser's own prompt. */
async function opened(width = 1280, height = 900): Promise<Visit> {
  const visited = await visit(browser, url, { httpCredentials: CREDENTIALS, viewport: { width, height } });
  await visited.page.goto(`${url}/swagger-ui.html`);
  await visited.page.locator(".opblock").first().waitFor();
  return visited;
}

/** The state of all trading, as the page shows it. */
async function status(page: Page): Promise<unknown> {
  const block = page.locator('.opblock[id$="-getTradingStatus"]');
  await block.getByPlaceholder("projectionPath").fill("");
  const answered = page.waitForResponse((response) => response.url().includes("/trading/status"));
  await execute(page, "getTradingStatus");
  await answered;
  await block.locator(".live-responses-table .highlight-code").first().waitFor();
  return JSON.parse((await block.locator(".live-responses-table .highlight-code code").first().textContent()) ?? "");
}

describe("the interactive page in a real browser", () => {
  it("log in, read the status, halt with a warning before it, see the result", async () => {
    const { page, problems } = await opened();
    await tryOut(page, "getTradingStatus");
    expect(await status(page)).toMatchObject({ halted: false });
    await tryOut(page, "haltTrading");
    await execute(page, "haltTrading");
    const dialog = page.getByRole("dialog");
    await expect
      .poll(() => dialog.textContent())
      .toContain("This stops something in the running installation, at once.");
    expect(await dialog.textContent()).toContain("HALT_RESUME_TRADING");
    // Stopping is easy: the key that a hand in a hurry hits sends it.
    await page.keyboard.press("Enter");
    await expect.poll(() => answerOf(page, "haltTrading")).toMatch(/^200/);
    await expect.poll(() => status(page)).toMatchObject({ halted: true });
    expect(problems).toEqual([]);
  });

  it("starting is deliberate: Enter cancels, and what is cancelled was never sent", async () => {
    const { page, problems } = await opened();
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.method()));
    await tryOut(page, "resumeTrading");
    await execute(page, "resumeTrading");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Enter");
    await expect
      .poll(() => answerOf(page, "resumeTrading"))
      .toContain("Not sent: it was cancelled before anything was sent");
    await execute(page, "resumeTrading");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(sent).not.toContain("POST");
    await execute(page, "resumeTrading");
    await page.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => answerOf(page, "resumeTrading")).toMatch(/^200/);
    expect(problems).toEqual([]);
  });

  it("each operation shows its permission and its lane, as the document has them", async () => {
    const { page } = await opened();
    const badges = (path: string): Promise<string[]> =>
      page
        .locator(".opblock-summary", { has: page.locator(`[data-path="${path}"]`) })
        .locator(".badge")
        .allTextContents();
    expect(await page.locator(".opblock-summary").count()).toBe(18);
    expect(await badges("/trading/halt")).toEqual(["stop", "HALT_RESUME_TRADING"]);
    expect(await badges("/trading/resume")).toEqual(["change", "HALT_RESUME_TRADING"]);
    expect(await badges("/trading/status")).toEqual(["read", "any user"]);
    expect(await badges("/services/{name}/disable")).toEqual(["stop", "ENABLE_DISABLE_SERVICE"]);
  });

  it("the copied command does in a shell what the page would have sent", async () => {
    const { page } = await opened();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: url });
    await tryOut(page, "haltTrading");
    await execute(page, "haltTrading");
    await page.getByRole("button", { name: "Copy as trading-admin" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const copied = await page.evaluate("navigator.clipboard.readText()");
    await page.getByRole("button", { name: "Cancel", exact: true }).last().click();
    const environment = { ...process.env, TRADING_ADMIN_USER: "chief", TRADING_ADMIN_PASSWORD: PASSWORD };
    const script = `trading-admin() { ${process.execPath} ${COMMAND} "$@"; }\n${copied}`;
    await run("sh", ["-c", script.replaceAll("trading-admin", "trading_admin")], { env: environment });
    await tryOut(page, "getTradingStatus");
    await expect.poll(() => status(page)).toMatchObject({ halted: true, reason: "Price feed is stale" });
  });

  it("on a narrow screen nothing is cut off", async () => {
    const { page } = await opened(390, 844);
    await tryOut(page, "haltTrading");
    await execute(page, "haltTrading");
    const box = await page.getByRole("dialog").boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
  });

  it("a page of another site can neither show it nor send commands with the browser's credentials", async () => {
    const { page } = await opened();
    await page.goto("about:blank");
    const reply = page.waitForResponse((response) => response.url().endsWith("/trading/resume"));
    await page.setContent(`<form method="post" action="${url}/api/admin/v1/trading/resume"><button>Win</button></form>
<iframe src="${url}/swagger-ui.html"></iframe>`);
    const [, frame] = page.frames();
    await expect.poll(() => frame?.url()).toMatch(/^chrome-error:/);
    await page.getByRole("button").click();
    expect((await reply).status()).toBe(403);
  });
});
