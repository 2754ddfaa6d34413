import type { Page } from "playwright-core";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { docsPage } from "../../src/openapi/page/docs-page.ts";
import { InstallationFolder, PASSWORD } from "../gateway/folder.ts";
import { requireBuild } from "../package/build.ts";
import { violations } from "../support/axe.ts";
import { useChromium } from "../support/chromium.ts";
import { execute, fillBody, tryOut } from "./visit.ts";

const NAMED = 'gateway.console.name: "LONDON <PROD>"\ngateway.console.colour: "#b3261e"';
const COLOUR = "rgb(179, 38, 30)";

const visit = useChromium();
let folder: InstallationFolder;

beforeAll(requireBuild);

beforeEach(() => {
  folder = new InstallationFolder();
});

afterEach(() => folder.close());

async function opened(settings: string, width: number): Promise<{ page: Page; problems: readonly string[] }> {
  const { url } = await folder.start(settings);
  const credentials = { username: "chief", password: PASSWORD };
  const { page, problems } = await visit(url, { httpCredentials: credentials, viewport: { width, height: 844 } });
  await page.goto(`${url}/swagger-ui.html`);
  await page.locator(".opblock").first().waitFor();
  return { page, problems };
}

describe("D-PAGE 16: the interactive page says which installation it is", () => {
  it.each([1440, 390])("at its top, wherever one has scrolled to, and in its icon, %i pixels wide", async (width) => {
    const { page, problems } = await opened(NAMED, width);
    const badge = page.locator("header .installation");
    expect(await badge.textContent()).toBe("LONDON <PROD>");
    expect(await page.evaluate("getComputedStyle(document.querySelector('header .installation')).borderTopColor")).toBe(
      COLOUR,
    );
    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    expect(await page.evaluate("getComputedStyle(document.body, '::before').backgroundColor")).toBe(COLOUR);
    expect(await page.evaluate("document.elementFromPoint(innerWidth / 2, 3).localName")).toBe("body");
    expect(await page.locator("link[rel=icon]").getAttribute("href")).toContain(encodeURIComponent('fill="#b3261e"'));
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    expect(problems).toEqual([]);
  });

  it("and in the dialog of a command, for screen readers too", async () => {
    const { page } = await opened(NAMED, 1440);
    await tryOut(page, "haltTrading");
    await fillBody(page, "haltTrading", { reason: "limit breach" });
    await execute(page, "haltTrading");
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByText("LONDON <PROD>", { exact: true }).isVisible()).toBe(true);
    const described = "document.querySelector('dialog').ariaDescribedByElements.map((part) => part.textContent).join()";
    expect(await page.evaluate(described)).toMatch(/^LONDON <PROD>,This stops/);
  });

  it("and takes no colour that is more than one", () => {
    expect(() => docsPage({ colour: "red;}" })).toThrow("colour must be a CSS colour name or #rrggbb");
  });
});

describe("D-PAGE 17: who has logged out of the interactive page", () => {
  it("sees which installation they have left, on a page that loads nothing and leads back", async () => {
    const { page, problems } = await opened(NAMED, 1440);
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByRole("heading", { name: "Logged out of LONDON <PROD>" }).waitFor();
    expect(await page.evaluate("performance.getEntriesByType('resource').length")).toBe(0);
    await page.getByRole("link", { name: "Log in again" }).click();
    await page.locator(".opblock").first().waitFor();
    expect(new URL(page.url()).pathname).toBe("/swagger-ui.html");
    expect(problems).toEqual([]);
  });
});
