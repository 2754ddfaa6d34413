import type { Page } from "playwright-core";

/** Notes when the state of trading has been painted, in milliseconds after the first byte of the document. */
const NOTE = `globalThis.pictureAfter = new Promise((resolve) => {
  new MutationObserver((changes, observer) => {
    if (!/running|halted/.test(document.getElementById("pill")?.textContent)) return;
    observer.disconnect();
    const [{ responseStart }] = performance.getEntriesByType("navigation");
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - responseStart)));
  }).observe(document, { subtree: true, childList: true, characterData: true });
});`;

/** Opens the console in an empty page, and says after how many milliseconds it showed the state of trading. */
export async function pictureAfter(page: Page, url: string): Promise<number> {
  await page.addInitScript(NOTE);
  await page.goto(`${url}/console`);
  return Number(await page.evaluate("pictureAfter"));
}
