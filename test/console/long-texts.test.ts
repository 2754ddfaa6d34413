import type { Locator } from "playwright-core";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addViewer, CHIEF, InstallationFolder } from "../gateway/folder.ts";
import { requireBuild } from "../package/build.ts";
import { useChromium } from "../support/chromium.ts";
import { sendRaw } from "../support/raw-http.ts";
import { openConsole, panel, rowOf, serveServices, unfold } from "./visit-console.ts";

const PATH = `Source[FIXCLIENT1]/Account[${"GOLD-".repeat(20)}]`;
const REASON = "the same order again and again, from a client whose algorithm nobody reaches";
const NAME = "ALGORITHM-".repeat(9);
/** More than are all there together. */
const MANY = 150;

/** Below this width buttons are for fingers. */
const FINGER_WIDTH = 700;
const FINGER_HEIGHT = 44;
const MOUSE_HEIGHT = 24;

const visit = useChromium();
let folder: InstallationFolder;
let url: string;

beforeAll(requireBuild);

beforeEach(async () => {
  folder = new InstallationFolder();
  addViewer(folder);
  ({ url } = await folder.start(""));
  await command("/trading/halt", { projectionPath: PATH, reason: REASON });
});

afterEach(() => folder.close());

async function command(path: string, input: object): Promise<void> {
  await sendRaw(url, {
    method: "POST",
    path: `/api/admin/v1${path}`,
    authorization: CHIEF,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(input),
  });
}

function longNames(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${NAME}${at}`);
}

/** Whether all of an element can be seen within the width of the page and of what it is in. */
function isWhole(element: Locator): Promise<boolean> {
  return element.evaluate((part: Part) => {
    const box = part.getBoundingClientRect();
    const scroller = part.closest(".scroller").getBoundingClientRect();
    return part.scrollWidth <= part.clientWidth && box.left >= scroller.left && box.right <= scroller.right + 1;
  });
}

interface Part {
  readonly scrollWidth: number;
  readonly clientWidth: number;
  getBoundingClientRect(): { readonly left: number; readonly right: number };
  closest(selector: string): Part;
}

describe("D-PAGE 8: long texts of the engine", () => {
  it.each([390, 768, 1024, 1440])(
    "push nothing out of sight, %i pixels wide: name, reason and button of a row are whole",
    async (width) => {
      const { page } = await openConsole(visit, url, "chief", { viewport: { width, height: 900 } });
      const node = rowOf(page, "Trading", PATH);
      const resume = node.getByRole("button", { name: "Resume", exact: true });
      await node.getByText(REASON).waitFor();
      await serveServices(page, longNames(3));
      if (width < FINGER_WIDTH) await unfold(page, "Services");
      const service = rowOf(page, "Services", `${NAME}2`);
      for (const part of [
        node.getByRole("rowheader"),
        node.getByText(REASON),
        resume,
        service.getByRole("rowheader"),
        service.getByRole("button", { name: "Disable" }),
      ]) {
        expect(await isWhole(part), (await part.textContent()) ?? "").toBe(true);
      }
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      expect((await resume.boundingBox())?.height).toBe(width < FINGER_WIDTH ? FINGER_HEIGHT : MOUSE_HEIGHT);
      await resume.click();
      const words = page.getByRole("dialog").getByRole("heading", { name: `Resume ${PATH}` });
      const box = await words.boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? width)).toBeLessThan(width);
    },
  );

  it.each([360, 390, 820, 1024, 1280, 1440, 1720, 1860, 1920])(
    "of who disabled a service, and of a halt of everything, leave room for its columns and those of all tables: %i pixels wide, nothing scrolls sideways",
    async (width) => {
      await command("/services/TWAP/disable", { reason: REASON });
      const { page } = await openConsole(visit, url, "chief", { viewport: { width, height: 1400 } });
      await rowOf(page, "Services", "TWAP").getByText(REASON).waitFor();
      if (width >= FINGER_WIDTH) {
        await command("/trading/halt", {});
        await panel(page, "Positions").getByText("halted with all").first().waitFor();
      }
      for (const name of ["Services", "Risk limits", "Positions", "FIX sessions"]) {
        await panel(page, name).scrollIntoViewIfNeeded();
        if (width < FINGER_WIDTH && name !== "Risk limits") await unfold(page, name);
        await panel(page, name).locator("tbody tr:not(.spacer)").nth(2).waitFor();
        const scroller = panel(page, name).locator(".scroller");
        const sideways = (): Promise<number> => scroller.evaluate((part: Part) => part.scrollWidth - part.clientWidth);
        await expect.poll(sideways, { message: name }).toBe(0);
      }
    },
  );

  it("end where there is no room in a list of more than 100 rows; the rest is shown at the pointer", async () => {
    const { page } = await openConsole(visit, url);
    await serveServices(page, longNames(MANY));
    const service = rowOf(page, "Services", `${NAME}2`);
    await service.waitFor();
    expect(await service.getByRole("rowheader").getAttribute("title")).toBe(`${NAME}2`);
    expect(await isWhole(service.getByRole("button", { name: "Disable" }))).toBe(true);
    expect(await panel(page, "Services").locator("tbody tr").count()).toBeLessThan(MANY);
  });
});
