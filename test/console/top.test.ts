import { readFileSync } from "node:fs";
import type { Locator } from "playwright-core";
import { describe, expect, it } from "vitest";
import { sampleInstallation } from "../../src/files/package-files.ts";
import { useChromium } from "../support/chromium.ts";
import { openConsole, panel, rowOf, statusOf, unfold, useInstallation } from "./visit-console.ts";

const visit = useChromium();
const folder = useInstallation();

/** Where an element begins and ends, in pixels below the edge of the window. */
async function edges(element: Locator): Promise<{ readonly begin: number; readonly end: number }> {
  const { y = Number.NaN, height = Number.NaN } = (await element.boundingBox()) ?? {};
  return { begin: y, end: y + height };
}

describe("the top of the page, which is always there", () => {
  it.each([
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ])("covers nothing that a link leads to, with and without a message in it: $width wide", async (viewport) => {
    const { page, problems } = await openConsole(visit, (await folder.start("")).url, "chief", {
      viewport,
      reducedMotion: "reduce",
    });
    const top = page.locator("#top");
    const jump = async (): Promise<number> => {
      await page.getByRole("link", { name: /^Services/ }).click();
      await page.getByRole("link", { name: /^FIX/ }).click();
      const { begin } = await edges(page.getByRole("heading", { name: "FIX sessions" }));
      return begin - (await edges(top)).end;
    };
    // On a phone the positions in order are behind a button.
    await panel(page, "Positions")
      .getByText(/positions\.|^Show \d+/)
      .filter({ visible: true })
      .first()
      .waitFor();
    await expect.poll(jump).toBeGreaterThanOrEqual(0);
    const low = await edges(top);
    await page.getByRole("button", { name: "Halt all trading" }).click();
    await page.keyboard.press("Enter");
    await expect.poll(() => statusOf(page)).toMatch(/^All trading is halted/);
    expect((await edges(top)).end).toBeGreaterThan(low.end);
    await expect.poll(jump).toBeGreaterThanOrEqual(0);
    expect(problems).toEqual([]);
  });

  it("has the titles of a table below it while its rows are scrolled", async () => {
    const { page, problems } = await openConsole(visit, (await folder.start("")).url);
    const positions = panel(page, "Positions");
    await positions.getByText(/positions\./).waitFor();
    await page.setViewportSize({ width: 1440, height: 240 });
    const distance = async (): Promise<number> => {
      const title = await edges(positions.getByRole("columnheader").first());
      return Math.abs(title.begin - (await edges(page.locator("#top"))).end);
    };
    expect(await distance()).toBeGreaterThan(1);
    await page.evaluate("document.querySelector('.positions tbody tr:nth-last-child(2)').scrollIntoView()");
    await expect.poll(distance).toBeLessThanOrEqual(1);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(1440);
    expect(problems).toEqual([]);
  });

  it("counts at the links what is disabled or disconnected in parts that are not on the screen", async () => {
    // While there is activity, sessions lose their connection now and then.
    const sample = readFileSync(sampleInstallation(), "utf8");
    folder.write("still.yaml", sample.replace("activity: on", "activity: off"));
    const { url } = await folder.start("admin.engine.installation: still.yaml");
    const { page, problems } = await openConsole(visit, url, "chief", { viewport: { width: 390, height: 844 } });
    const link = (name: string): Locator => page.getByRole("navigation").getByRole("link", { name });
    await expect.poll(() => link("FIX").textContent()).toBe("FIX 4");
    await expect.poll(() => link("Services").textContent()).toBe("Services 1");
    const service = rowOf(page, "Services", "TWAP");
    await unfold(page, "Services");
    await service.getByRole("button", { name: "Disable" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disable TWAP" }).click();
    await expect.poll(() => link("Services").textContent()).toBe("Services 2");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    expect(problems).toEqual([]);
  });
});
