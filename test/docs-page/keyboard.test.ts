import type { Locator, Page } from "playwright-core";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { InstallationFolder, PASSWORD } from "../gateway/folder.ts";
import { requireBuild } from "../package/build.ts";
import { violations } from "../support/axe.ts";
import { useChromium } from "../support/chromium.ts";
import { changesByFocus, hasFocus, pressEnterAt, tabTo, typeInto } from "../support/keyboard.ts";
import { answerOf } from "./visit.ts";

const visit = useChromium();
let folder: InstallationFolder;
let url: string;

beforeAll(requireBuild);

beforeEach(async () => {
  folder = new InstallationFolder();
  ({ url } = await folder.start(""));
});

afterEach(() => folder.close());

/** Opens an operation of the page, and makes it ready to be sent by keyboard. */
async function openOperation(tag: string, operation: string): Promise<{ page: Page; block: Locator }> {
  const { page } = await visit(url, { httpCredentials: { username: "chief", password: PASSWORD } });
  await page.goto(`${url}/swagger-ui.html#/${tag}/${operation}`);
  const block = page.locator(`.opblock.is-open[id$="-${operation}"]`);
  await pressEnterAt(page, block.getByRole("button", { name: "Try it out" }));
  return { page, block };
}

/** The element that has the focus, how wide it is, and its ring. */
interface Focus {
  readonly name: string;
  readonly width: number;
  readonly ring: string;
}

const FOCUS = `(({ className, offsetWidth }, { outlineStyle, outlineWidth }) =>
  ({ name: className, width: offsetWidth, ring: outlineStyle + " " + outlineWidth }))(
    document.activeElement, getComputedStyle(document.activeElement))`;

const execute = (block: Locator): Locator => block.getByRole("button", { name: "Execute" });

describe("D-PAGE 11: the interactive page by keyboard alone", () => {
  it("sends a stop with Enter, as its button has the focus", async () => {
    const { page, block } = await openOperation("Trading", "haltTrading");
    await typeInto(page, block.getByRole("textbox", { name: "Request body" }), '{"projectionPath": "Account[GOLD]"}');
    await pressEnterAt(page, execute(block));
    await page.getByRole("dialog", { name: "Halt Account[GOLD]" }).waitFor();
    expect(await changesByFocus(page, 8)).toEqual([]);
    await tabTo(page, page.getByRole("dialog").getByRole("button", { name: "Halt Account[GOLD]" }));
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await expect.poll(() => answerOf(page, "haltTrading")).toMatch(/^200/);
  });

  it("sends a change only from its own button: the first that Enter presses is Back", async () => {
    const { page, block } = await openOperation("Services", "enableService");
    const sent: string[] = [];
    page.on("request", (request) => void (request.method() === "POST" && sent.push(request.url())));
    await typeInto(page, block.getByPlaceholder("name"), "TWAP");
    await pressEnterAt(page, execute(block));
    const dialog = page.getByRole("dialog", { name: "Enable TWAP" });
    await dialog.waitFor();
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    expect(sent).toEqual([]);
    await pressEnterAt(page, execute(block));
    await pressEnterAt(page, dialog.getByRole("button", { name: "Enable TWAP" }));
    await expect.poll(() => answerOf(page, "enableService")).toMatch(/^200/);
    expect(sent).toHaveLength(1);
  });

  it.each(["light", "dark"] as const)(
    "shows where the focus is, at each stop of the Tab key: %s",
    async (colorScheme) => {
      const credentials = { username: "chief", password: PASSWORD };
      const { page } = await visit(url, { httpCredentials: credentials, colorScheme });
      await page.goto(`${url}/swagger-ui.html`);
      await tabTo(page, page.locator(".opblock-summary-control").first());
      const operations = await page.locator(".opblock").count();
      for (let stop = 0; stop < operations; stop += 1) {
        const { name, width, ring } = (await page.evaluate(FOCUS)) as Focus;
        expect(width, name).toBeGreaterThan(0);
        expect(ring, name).toBe("solid 2px");
        await page.keyboard.press("Tab");
      }
      expect((await page.evaluate(FOCUS)) as Focus, "one stop for each operation").not.toMatchObject({
        name: expect.stringContaining("opblock"),
      });
    },
  );

  it("keeps the focus at a button that copies, also where the browser has no clipboard", async () => {
    const { page, block } = await openOperation("Trading", "haltTrading");
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await pressEnterAt(page, execute(block));
    const copy = page.getByRole("dialog").getByRole("button").first();
    await pressEnterAt(page, copy);
    await expect.poll(() => copy.textContent()).toMatch(/Copied|refused/);
    expect(await copy.evaluate(hasFocus)).toBe(true);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });
});
