import { describe, expect, it } from "vitest";
import { consolePage } from "../../src/console/console-page.ts";
import { PASSWORD } from "../gateway/folder.ts";
import { violations } from "../support/axe.ts";
import { useChromium } from "../support/chromium.ts";
import { openConsole, useInstallation } from "./visit-console.ts";

const visit = useChromium();
const folder = useInstallation();

const NAMED = 'gateway.console.name: "LONDON <PROD>"\ngateway.console.colour: "#b3261e"';

describe("D-PAGE 16: the console says which installation it is", () => {
  it.each([1440, 390])("in header, title and icon, %i pixels wide", async (width) => {
    const { url } = await folder.start(NAMED);
    const { page, problems } = await openConsole(visit, url, "chief", { viewport: { width, height: 844 } });
    expect(await page.title()).toBe("LONDON <PROD> · Trading console");
    expect(await page.getByRole("heading", { name: "LONDON <PROD>" }).getByText("LONDON <PROD>").isVisible()).toBe(
      true,
    );
    const edge = "getComputedStyle(document.querySelector('.top')).borderTopColor";
    expect(await page.evaluate(edge)).toBe("rgb(179, 38, 30)");
    const icon = decodeURIComponent((await page.locator("link[rel=icon]").getAttribute("href")) ?? "");
    expect(icon).toMatch(/^data:image\/svg\+xml,<svg .*fill="#b3261e"/);
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    expect(problems).toEqual([]);
  });

  it("and in the dialog of a command, for screen readers too", async () => {
    const { url } = await folder.start(NAMED);
    const { page } = await openConsole(visit, url);
    await page.getByRole("button", { name: "Halt all trading" }).click();
    const dialog = page.getByRole("dialog", { name: "Halt all trading" });
    expect(await dialog.getByText("LONDON <PROD>", { exact: true }).isVisible()).toBe(true);
    const described =
      "document.querySelector('dialog').ariaDescribedByElements.map((part) => part.textContent).filter(Boolean).join()";
    expect(await page.evaluate(described)).toMatch(/^LONDON <PROD>,Every order/);
    expect(await violations(page)).toEqual([]);
  });

  it("on a phone a short name leaves the state of trading its place beside the button that halts", async () => {
    const { url } = await folder.start("gateway.console.name: X");
    const { page } = await openConsole(visit, url, "chief", { viewport: { width: 390, height: 844 } });
    const pill = await page.locator("#pill").boundingBox();
    const button = await page.getByRole("button", { name: "Halt all trading" }).boundingBox();
    expect(pill?.y).toBeGreaterThanOrEqual(button?.y ?? Number.NaN);
    expect((pill?.x ?? 0) + (pill?.width ?? Number.NaN)).toBeLessThan(button?.x ?? Number.NaN);
  });

  it("and takes no colour that is more than one", () => {
    for (const colour of ["red;}", "#fff", "url(x)", 'red"']) {
      expect(() => consolePage({ colour }), colour).toThrow("colour must be a CSS colour name or #rrggbb");
    }
  });
});

describe("D-PAGE 17: who has logged out", () => {
  it("sees which installation they have left, on a page that loads nothing and looks as the console does", async () => {
    const { url } = await folder.start(NAMED);
    const { page, problems } = await openConsole(visit, url);
    const background = await page.evaluate("getComputedStyle(document.body).backgroundColor");
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByRole("heading", { name: "Logged out of LONDON <PROD>" }).waitFor();
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe(background);
    expect(await page.evaluate("performance.getEntriesByType('resource').length")).toBe(0);
    expect(await violations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("is asked for credentials again: the browser has forgotten them", async () => {
    const { url } = await folder.start("");
    const { page } = await visit(url);
    await page.goto(`${url.replace("http://", `http://chief:${encodeURIComponent(PASSWORD)}@`)}/console/user.json`);
    expect((await page.goto(`${url}/console`))?.status(), "the browser knows them").toBe(200);
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByRole("heading", { name: "Logged out" }).waitFor();
    const again = page.waitForResponse((response) => new URL(response.url()).pathname === "/console");
    await page.getByRole("link", { name: "Log in again" }).click();
    expect((await again).status()).toBe(401);
  });
});
