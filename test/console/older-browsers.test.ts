import type { Page } from "playwright-core";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addViewer, InstallationFolder, PASSWORD } from "../gateway/folder.ts";
import { requireBuild } from "../package/build.ts";
import { useChromium } from "../support/chromium.ts";
import { panel, rowOf } from "./visit-console.ts";

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

interface Part {
  readonly scrollHeight: number;
  readonly clientHeight: number;
}

/** Takes away what Chrome 109, Firefox 115 or Safari 16.4 do not have. */
const TAKE_AWAY = `for (const name of ["toSorted", "toReversed", "toSpliced", "with"]) delete Array.prototype[name];
delete URLSearchParams.prototype.size;
delete HTMLElement.prototype.popover;
delete HTMLButtonElement.prototype.popoverTargetElement;
for (const name of Object.keys(Element.prototype)) if (/^(aria|role$)/.test(name)) delete Element.prototype[name];`;

/** The same of style sheets: a rule with a selector that is not known does not apply, nor does a declaration with such a value. */
function olderStyle(css: string): string {
  return css
    .replaceAll(":popover-open", ":not-known")
    .replaceAll(":has(", ":not-known(")
    .replaceAll(/content: ("[^"]*") \/ "";/g, "content: not-known($1);");
}

async function openInOlderBrowser(): Promise<{ readonly page: Page; readonly problems: readonly string[] }> {
  const { page, problems } = await visit(url, { httpCredentials: { username: "chief", password: PASSWORD } });
  await page.addInitScript(TAKE_AWAY);
  await page.route("**/console.css", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: olderStyle(await response.text()) });
  });
  await page.goto(`${url}/console`);
  await page.getByText("Trading is running").first().waitFor();
  return { page, problems };
}

describe("D-PAGE 27: the oldest browsers that the console is built for", () => {
  it("show the state of trading with its symbol, and everything that is read", async () => {
    const { page, problems } = await openInOlderBrowser();
    await rowOf(page, "Services", "SIM").waitFor();
    await panel(page, "Positions").getByText("positions.").waitFor();
    const symbol = await page.evaluate(`getComputedStyle(document.getElementById("pill"), "::before").content`);
    expect(symbol).toBe('"●"');
    const positions = panel(page, "Positions").locator(".scroller");
    const hidden = (): Promise<number> => positions.evaluate((part: Part) => part.scrollHeight - part.clientHeight);
    await expect.poll(hidden, { message: "no row is cut off" }).toBe(0);
    expect(await panel(page, "Trading").getByRole("group", { name: "Connected sessions" }).count()).toBe(1);
    expect(problems).toEqual([]);
  });

  it("have the choice of columns closed until its button opens it, above the table", async () => {
    const { page, problems } = await openInOlderBrowser();
    const services = panel(page, "Services");
    const button = services.getByRole("button", { name: "Columns" });
    const type = services.getByRole("checkbox", { name: "Type" });
    await services.getByRole("columnheader", { name: "Type" }).waitFor();
    expect(await type.isVisible()).toBe(false);
    await button.click();
    expect(await button.getAttribute("aria-expanded")).toBe("true");
    await type.uncheck();
    await services.getByRole("columnheader", { name: "Type" }).waitFor({ state: "detached" });
    expect(new URL(page.url()).search).toBe("?services.hide=type");
    await type.check();
    expect(new URL(page.url()).search).toBe("");
    await button.click();
    expect(await type.isVisible()).toBe(false);
    expect(problems).toEqual([]);
  });
});
