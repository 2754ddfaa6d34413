import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { InstallationFolder, PASSWORD } from "../gateway/folder.ts";
import { requireBuild } from "../package/build.ts";
import { violations } from "../support/axe.ts";
import { useChromium } from "../support/chromium.ts";
import { answerOf, execute, tryOut } from "./visit.ts";

const SCREENS = [
  { width: 1440, colorScheme: "light" },
  { width: 1024, colorScheme: "dark" },
  { width: 390, colorScheme: "light" },
  { width: 390, colorScheme: "dark" },
] as const;

const visit = useChromium();
let folder: InstallationFolder;
let url: string;

beforeAll(requireBuild);

beforeEach(async () => {
  folder = new InstallationFolder();
  ({ url } = await folder.start(""));
});

afterEach(() => folder.close());

describe("the interactive page can be used by everyone", () => {
  it.each(SCREENS)("axe finds nothing: $width wide, $colorScheme", async ({ width, colorScheme }) => {
    const { page } = await visit(url, {
      httpCredentials: { username: "chief", password: PASSWORD },
      viewport: { width, height: 900 },
      colorScheme,
    });
    await page.goto(`${url}/swagger-ui.html`);
    await page.locator(".opblock").first().waitFor();
    expect(await violations(page), "as it opens").toEqual([]);
    await tryOut(page, "getFixSession");
    await tryOut(page, "haltTrading");
    for (const errors of await page.getByText(/^Errors: /).all()) await errors.click();
    expect(await violations(page), "with operations to try out").toEqual([]);
    await execute(page, "haltTrading");
    await page.getByRole("dialog").waitFor();
    expect(await violations(page, "dialog"), "with the dialog").toEqual([]);
    await page.keyboard.press("Enter");
    await expect.poll(() => answerOf(page, "haltTrading")).toMatch(/^200/);
    await expect.poll(() => page.getByRole("status").textContent()).toContain("Read from the engine at");
    expect(await violations(page, ".opblock.is-open, [role=status]"), "with the proof").toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
  });
});
