import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { InstallationFolder, PASSWORD } from "../gateway/folder.ts";
import { requireBuild } from "../package/build.ts";
import { useChromium } from "../support/chromium.ts";

const LOADS = 9;
const MOST_MS = 300;

/** Notes when the state of trading has been painted, in milliseconds after the first byte of the document. */
const NOTE_PICTURE = `new MutationObserver((changes, observer) => {
  if (!/running|halted/.test(document.getElementById("pill")?.textContent)) return;
  observer.disconnect();
  const [{ responseStart }] = performance.getEntriesByType("navigation");
  requestAnimationFrame(() => setTimeout(() => { globalThis.pictureAfter = performance.now() - responseStart; }));
}).observe(document, { subtree: true, childList: true, characterData: true });`;

const visit = useChromium();
let folder: InstallationFolder;

beforeAll(requireBuild);

beforeEach(() => {
  folder = new InstallationFolder();
});

afterEach(() => folder.close());

/** Opens the console in a browser that has nothing of it yet. */
async function pictureAfter(url: string): Promise<number> {
  const { page } = await visit(url, {
    httpCredentials: { username: "chief", password: PASSWORD },
    viewport: { width: 1440, height: 900 },
  });
  await page.addInitScript(NOTE_PICTURE);
  await page.goto(`${url}/console`);
  const noted = (): Promise<unknown> => page.evaluate("globalThis.pictureAfter");
  await expect.poll(noted).toBeDefined();
  const ms = Number(await noted());
  await page.context().close();
  return ms;
}

describe("D-PAGE 5: the first useful picture of the console", () => {
  // Other work on the machine makes it late now and then; what the page does, it does again.
  it("is there within 300 ms of the document", { timeout: 60_000, retry: 2 }, async () => {
    const { url } = await folder.start("");
    // The first visit is that of a login that is not remembered yet.
    await pictureAfter(url);
    const all: number[] = [];
    for (let load = 0; load < LOADS; load += 1) all.push(await pictureAfter(url));
    all.sort((a, b) => a - b);
    expect(all[Math.floor(LOADS / 2)], `all of ${all.map(Math.round).join(", ")} ms`).toBeLessThan(MOST_MS);
  });
});
