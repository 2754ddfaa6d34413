import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { createClient } from "../../src/client/client.ts";
import { basic } from "../../src/client/credentials.ts";
import { PASSWORD } from "../gateway/folder.ts";
import { violations } from "../support/axe.ts";
import { useChromium } from "../support/chromium.ts";
import { openConsole, panel, rowOf, statusOf, useInstallation } from "./visit-console.ts";

const visit = useChromium();
const folder = useInstallation();

/** The page looks again every few seconds. */
const LATER = { timeout: 30_000 };

type Client = ReturnType<typeof createClient>;

/** What somebody does on the page, and somebody else undoes elsewhere. */
const UNDONE: readonly {
  readonly name: string;
  give(page: Page): Promise<void>;
  undo(client: Client): Promise<unknown>;
  readonly proof: RegExp;
  readonly past: RegExp;
}[] = [
  {
    name: "a halt of everything",
    give: (page) => page.getByRole("button", { name: "Halt all trading" }).click(),
    undo: (client) => client.resumeTrading({ reason: "all clear" }),
    proof: /^All trading is halted\. Read/,
    past: /^Halt all trading: done, and undone since\. At \d\d:\d\d:\d\d UTC the engine showed: Trading is running \(all clear\)\.sent/,
  },
  {
    name: "the disabling of a service that is not in sight",
    give: async (page) => {
      await rowOf(page, "Services", "TWAP").getByRole("button", { name: "Disable" }).click();
      await page.evaluate("scrollTo(0, 0)");
    },
    undo: (client) => client.enableService({ name: "TWAP" }),
    proof: /^TWAP is disabled\. Read/,
    past: /^Disable TWAP: done, and undone since\. At \d\d:\d\d:\d\d UTC the engine showed: TWAP is enabled\./,
  },
];

describe("D-PAGE 9: a proof that a later read contradicts", () => {
  it.each(UNDONE)(
    "is a thing of the past, without colour, and stays applied among the last commands: $name",
    async ({ give, undo, proof, past }) => {
      const { url } = await folder.start("");
      const { page, problems } = await openConsole(visit, url);
      await give(page);
      await page.keyboard.press("Enter");
      await expect.poll(() => statusOf(page)).toMatch(proof);
      await undo(createClient({ baseUrl: url, credentials: basic("chief", PASSWORD) }));
      await expect.poll(() => statusOf(page), LATER).toMatch(past);
      const line = page.getByRole("status").locator("[data-outcome]:not([hidden])");
      expect(await line.getAttribute("data-outcome")).toBe("applied");
      const given = panel(page, "Last commands").getByRole("row").filter({ hasText: "Done, and undone since" });
      await given.getByText("applied", { exact: true }).waitFor();
      expect(await violations(page)).toEqual([]);
      expect(problems).toEqual([]);
    },
    90_000,
  );
});
