import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page, Route } from "playwright-core";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { allow, ruleDocument } from "../auth/access-files.ts";
import { COMMAND, requireCommand } from "../cli/command.ts";
import { InstallationFolder, PASSWORD } from "../gateway/folder.ts";
import { generatedDocument, operationsOf } from "../openapi/committed.ts";
import { useChromium, type Visit } from "../support/chromium.ts";
import { answerOf, bodyOf, execute, fillBody, tryOut } from "./visit.ts";

const run = promisify(execFile);
const CREDENTIALS = { username: "chief", password: PASSWORD };

const visit = useChromium();
let folder: InstallationFolder;
let url: string;

beforeAll(requireCommand);

beforeEach(async () => {
  folder = new InstallationFolder();
  ({ url } = await folder.start(""));
});

afterEach(() => folder.close());

/** The page as the user sees it once it has logged in at the browser's own prompt. */
async function opened(width = 1280, height = 900): Promise<Visit> {
  const visited = await visit(url, { httpCredentials: CREDENTIALS, viewport: { width, height } });
  await visited.page.goto(`${url}/swagger-ui.html`);
  await visited.page.locator(".opblock").first().waitFor();
  return visited;
}

/** The state of a node, or of all trading, as the page shows it. */
async function status(page: Page, projectionPath = ""): Promise<unknown> {
  const block = page.locator('.opblock[id$="-getTradingStatus"]');
  await block.getByPlaceholder("projectionPath").fill(projectionPath);
  const answered = page.waitForResponse((response) => response.url().includes("/trading/status"));
  await execute(page, "getTradingStatus");
  await answered;
  await block.locator(".live-responses-table .highlight-code").first().waitFor();
  return JSON.parse((await block.locator(".live-responses-table .highlight-code pre").first().textContent()) ?? "");
}

describe("the interactive page in a real browser", () => {
  it("lets a user log in, read the status, halt after a warning, and see the result", async () => {
    const { page, problems } = await opened();
    await tryOut(page, "getTradingStatus");
    expect(await status(page)).toMatchObject({ halted: false });
    await tryOut(page, "haltTrading");
    await fillBody(page, "haltTrading", { reason: "price feed is stale", cancelOrders: true });
    await execute(page, "haltTrading");
    const dialog = page.getByRole("dialog", { name: "HALT ALL TRADING and cancel all working orders" });
    await expect
      .poll(() => dialog.textContent())
      .toContain("This stops something in the running installation, immediately.");
    expect(await dialog.textContent()).toContain("HALT_RESUME_TRADING");
    expect(await dialog.getByRole("button").last().textContent()).toBe(
      "HALT ALL TRADING and cancel all working orders",
    );
    // Stopping is easy: the key that a hand in a hurry hits sends it.
    await page.keyboard.press("Enter");
    await expect.poll(() => answerOf(page, "haltTrading")).toMatch(/^200/);
    await expect
      .poll(() => page.getByRole("status").textContent())
      .toMatch(/^All trading is halted \(price feed is stale\)\. Read from the engine at .* UTC\./);
    await expect.poll(() => status(page)).toMatchObject({ halted: true });
    expect(problems).toEqual([]);
  });

  it("fills in nothing dangerous: a halt begins with a node, and names of what is stopped have to be typed", async () => {
    const { page } = await opened();
    await tryOut(page, "haltTrading");
    expect(JSON.parse(await bodyOf(page, "haltTrading").inputValue())).toEqual({
      projectionPath: "Source[FIXCLIENT1]/Account[GOLD]",
      reason: "Client asked for it",
    });
    await tryOut(page, "disableService");
    const name = page.locator('.opblock[id$="-disableService"]').getByPlaceholder("name");
    expect(await name.inputValue()).toBe("");
    await name.fill("TWAP");
    await execute(page, "disableService");
    await page.getByRole("dialog", { name: "Disable TWAP" }).waitFor();
  });

  it("says that a refused command was not done, and where there is no proof", async () => {
    const { page } = await opened();
    await tryOut(page, "haltTrading");
    await fillBody(page, "haltTrading", { projectionPath: "Acount[GOLD]" });
    await execute(page, "haltTrading");
    await page.getByRole("dialog", { name: "Halt Acount[GOLD]" }).waitFor();
    await page.keyboard.press("Enter");
    const said = page.getByRole("status");
    await expect.poll(() => said.textContent()).toMatch(/^Halt Acount\[GOLD\]: not done \(400\), see the response\./);
    // D-ENG 16: a 500 that says so was not done.
    const headers = { "X-Admin-Outcome": "not-applied" };
    await page.route("**/trading/halt", (route) => route.fulfill({ status: 500, headers, body: "" }));
    await fillBody(page, "haltTrading", { projectionPath: "Account[GOLD]" });
    await execute(page, "haltTrading");
    await page.getByRole("dialog", { name: "Halt Account[GOLD]" }).waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => said.textContent()).toMatch(/^Halt Account\[GOLD\]: not done \(500\), see the response\./);
    await page.unroute("**/trading/halt");
    await page.route("**/trading/halt", (route) => route.fulfill({ status: 504, body: "" }));
    await fillBody(page, "haltTrading", { projectionPath: "Account[GOLD]" });
    await execute(page, "haltTrading");
    await page.getByRole("dialog", { name: "Halt Account[GOLD]" }).waitFor();
    await page.keyboard.press("Enter");
    await expect
      .poll(() => said.textContent())
      .toMatch(
        /^Halt Account\[GOLD\]: no proof yet\. Sending it again does no harm, otherwise stop it at the engine\. The engine shows: Account\[GOLD\] is not halted\./,
      );
  });

  it.each<[how: string, lose: (route: Route) => Promise<void>]>([
    ["a proxy responds 503 to it", (route) => route.fulfill({ status: 503, body: "" })],
    ["no response comes", (route) => route.abort()],
  ])("D-ENG 16: goes by the state where a command was forwarded and %s", async (_, lose) => {
    const { page } = await opened();
    await page.route("**/trading/halt", async (route) => {
      await route.fetch();
      await lose(route);
    });
    await tryOut(page, "haltTrading");
    await fillBody(page, "haltTrading", { projectionPath: "Account[GOLD]" });
    await execute(page, "haltTrading");
    await page.getByRole("dialog", { name: "Halt Account[GOLD]" }).waitFor();
    await page.keyboard.press("Enter");
    const said = page.getByRole("status");
    await expect.poll(() => said.textContent()).toMatch(/^Account\[GOLD\] is halted\. Read from the engine at/);
  });

  it("marks what the user may not do before they try", async () => {
    folder.write("uac-access-rules.xml", ruleDocument(allow("chief", "HALT_RESUME_TRADING")));
    ({ url } = await folder.start(""));
    const { page } = await opened();
    const denied = page.locator(".opblock-summary", { hasText: "denied to you" });
    const paths = await denied
      .locator("[data-path]")
      .evaluateAll((found) => found.map((path) => path.getAttribute("data-path")));
    expect(paths).toHaveLength(7);
    expect(paths).toContain("/risk/update");
    expect(paths).not.toContain("/trading/halt");
    expect(await page.locator(".site").textContent()).toContain("chief");
    await tryOut(page, "enableService");
    await page.locator('.opblock[id$="-enableService"]').getByPlaceholder("name").fill("TWAP");
    await execute(page, "enableService");
    await page.getByRole("dialog").getByText("Permission: ENABLE_DISABLE_SERVICE, which you lack").waitFor();
  });

  it("starts nothing by accident: Enter cancels, and a cancelled command was never sent", async () => {
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
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Resume / })
      .click();
    await expect.poll(() => answerOf(page, "resumeTrading")).toMatch(/^200/);
    expect(problems).toEqual([]);
  });

  it("shows permission and lane of each operation, as in the document", async () => {
    const { page } = await opened();
    const badges = (path: string): Promise<string[]> =>
      page
        .locator(".opblock-summary", { has: page.locator(`[data-path="${path}"]`) })
        .locator(".badge")
        .allTextContents();
    expect(await page.locator(".opblock-summary").count()).toBe(operationsOf(generatedDocument()).length);
    expect(await badges("/trading/halt")).toEqual(["stop lane", "needs HALT_RESUME_TRADING"]);
    expect(await badges("/trading/resume")).toEqual(["change lane", "needs HALT_RESUME_TRADING"]);
    expect(await badges("/trading/status")).toEqual(["read lane", "any user"]);
    expect(await badges("/services/{name}/disable")).toEqual(["stop lane", "needs ENABLE_DISABLE_SERVICE"]);
  });

  it("copies a command that does in a shell what the page would have sent", async () => {
    const { page } = await opened();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: url });
    await tryOut(page, "haltTrading");
    await execute(page, "haltTrading");
    await page.getByRole("button", { name: "Copy as trading-admin" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const copied = await page.evaluate("navigator.clipboard.readText()");
    await page.getByRole("button", { name: "Back", exact: true }).click();
    const environment = { ...process.env, TRADING_ADMIN_USER: "chief", TRADING_ADMIN_PASSWORD: PASSWORD };
    const script = `trading-admin() { ${process.execPath} ${COMMAND} "$@"; }\n${copied}`;
    await run("sh", ["-c", script.replaceAll("trading-admin", "trading_admin")], { env: environment });
    await tryOut(page, "getTradingStatus");
    await expect
      .poll(() => status(page, "Source[FIXCLIENT1]/Account[GOLD]"))
      .toMatchObject({ halted: true, reason: "Client asked for it" });
  });

  it("has the colour of its lane on the line of an open operation alone, and code in the colours of the page", async () => {
    const { page } = await opened();
    await tryOut(page, "haltTrading");
    const [block, line, code] = await page.evaluate<string[]>(
      `["", " .opblock-summary", " .microlight"].map((part) =>
        getComputedStyle(document.querySelector("#operations-Trading-haltTrading" + part)).backgroundColor)`,
    );
    expect(block).toBe("rgb(255, 255, 255)");
    expect(line).not.toBe(block);
    expect(code).toBe("rgb(238, 242, 247)");
  });

  it("is dark where the browser is, and has the ids of a request folded after its body", async () => {
    const { page } = await opened();
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(() => page.evaluate("document.documentElement.className")).toContain("dark-mode");
    const background = await page.evaluate("getComputedStyle(document.body).backgroundColor");
    expect(background).toBe("rgb(21, 28, 36)");
    await tryOut(page, "haltTrading");
    const operation = page.locator('.opblock[id$="-haltTrading"]');
    const field = operation.getByPlaceholder("X-Request-Id");
    expect(await field.isVisible()).toBe(false);
    await operation.getByText("Header X-Request-Id").click();
    await field.fill("kept-1");
    const [body, id] = [await bodyOf(page, "haltTrading").boundingBox(), await field.boundingBox()];
    expect(id?.y).toBeGreaterThan(body?.y ?? Number.POSITIVE_INFINITY);
  });

  it("has the first operation on the first screen of a narrow window, and nothing is cut off", async () => {
    const { page } = await opened(390, 844);
    const first = await page.locator(".opblock").first().boundingBox();
    expect((first?.y ?? 844) + (first?.height ?? 0)).toBeLessThanOrEqual(844);
    await tryOut(page, "haltTrading");
    await execute(page, "haltTrading");
    const dialog = page.getByRole("dialog");
    for (const part of [dialog, dialog.getByRole("heading"), ...(await dialog.getByRole("button").all())]) {
      const box = await part.boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? 390)).toBeLessThanOrEqual(390);
    }
    const hiddenPart = (element: { scrollWidth: number; clientWidth: number }): number =>
      element.scrollWidth - element.clientWidth;
    expect(await dialog.getByRole("heading").evaluate(hiddenPart)).toBe(0);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
  });

  it("can neither be framed nor used for commands by a page of another site", async () => {
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
