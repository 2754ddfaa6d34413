import { expect, it } from "vitest";
import { useChromium } from "../support/chromium.ts";
import { openConsole, panel, useInstallation } from "./visit-console.ts";

const visit = useChromium();
const folder = useInstallation();

/** How many requests the page may send in between: what is always read, and parts that are in sight as well. */
const FEW = 3;

it.each([
  { way: "a link", go: "document.querySelector('nav [href=\"#risk\"]').click()", most: 0 },
  { way: "scrolling", go: "document.querySelector('#risk').scrollIntoView({ behavior: 'instant' })", most: FEW },
])(
  "what $way brings into sight is read next, long before it is due",
  async ({ go, most }) => {
    const { url } = await folder.start("");
    const { page } = await openConsole(visit, url, "chief", { viewport: { width: 1280, height: 600 } });
    const limits = panel(page, "Risk limits");
    await page.evaluate(go);
    await limits.getByRole("columnheader").first().waitFor();
    await page.evaluate("scrollTo({ top: 0, behavior: 'instant' })");
    // It is read again after a minute.
    await limits.getByRole("button", { name: /^Read ([8-9]|1\d) s ago/ }).waitFor();
    const sent: string[] = [];
    page.on("request", (request) => sent.push(new URL(request.url()).pathname));
    await page.evaluate(go);
    await expect
      .poll(() => sent.findIndex((path) => path.endsWith("/risk/table")), { timeout: 20_000 })
      .toBeGreaterThan(-1);
    expect(sent.findIndex((path) => path.endsWith("/risk/table"))).toBeLessThanOrEqual(most);
  },
  60_000,
);
