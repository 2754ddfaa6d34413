import type { Page, Request } from "playwright-core";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { InstallationFolder, PASSWORD } from "../gateway/folder.ts";
import { requireBuild } from "../package/build.ts";
import { useChromium } from "../support/chromium.ts";
import { threadWork } from "../support/thread-work.ts";
import { pictureAfter } from "./first-picture.ts";

const visit = useChromium();
let folder: InstallationFolder;

beforeAll(requireBuild);

beforeEach(() => {
  folder = new InstallationFolder();
});

afterEach(() => folder.close());

async function emptyPage(url: string): Promise<Page> {
  const { page } = await visit(url, {
    httpCredentials: { username: "chief", password: PASSWORD },
    viewport: { width: 1440, height: 900 },
  });
  return page;
}

/** Parts of the console, and the one read that its first picture shows. */
const NEEDED = ["/console", "/console/console.css", "/console/console.js", "/api/admin/v1/trading/status"];

function isNeeded(request: Request): boolean {
  const { pathname, search } = new URL(request.url());
  return NEEDED.includes(pathname) && search === "";
}

describe("D-PAGE 5: the first useful picture of the console", () => {
  it("needs the document, its script and style, and the state of trading: nothing else is waited for", async () => {
    const { url } = await folder.start("");
    const page = await emptyPage(url);
    // Whatever else is asked for never gets a response.
    await page.route("**/*", (route) => (isNeeded(route.request()) ? route.continue() : undefined));
    expect(await pictureAfter(page, url)).toBeGreaterThan(0);
  });

  it("is laid out once, by the browser: no script asks for the place of anything", async () => {
    const { url } = await folder.start("");
    const page = await emptyPage(url);
    const { tasks, forcedLayouts } = await threadWork(page, () => pictureAfter(page, url));
    expect(tasks.length).toBeGreaterThan(0);
    expect(forcedLayouts).toEqual([]);
  });
});
