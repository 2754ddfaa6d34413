import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { createClient } from "../../src/client/client.ts";
import { basic } from "../../src/client/credentials.ts";
import { allow, ruleDocument, userDocument } from "../auth/access-files.ts";
import { PASSWORD } from "../gateway/folder.ts";
import { violations } from "../support/axe.ts";
import { useChromium } from "../support/chromium.ts";
import { hasFocus } from "../support/keyboard.ts";
import { openConsole, rowOf, statusOf, useInstallation } from "./visit-console.ts";

const PATH = "Account[GOLD]";
const TIME = String.raw`\d\d:\d\d:\d\d UTC`;

const visit = useChromium();
const folder = useInstallation();
let url: string;

beforeEach(async () => {
  const users = ["chief", "alice", "bob"];
  folder.write("uac-file-security.xml", userDocument(...users.map((name) => [name, PASSWORD] as const)));
  folder.write("uac-access-rules.xml", ruleDocument(...users.map((name) => allow(name, "*"))));
  ({ url } = await folder.start("admin.policy.two-person.operations: [resumeTrading]"));
  await clientOf("chief").haltTrading({ projectionPath: PATH, reason: "bad algo" });
});

function clientOf(user: string): ReturnType<typeof createClient> {
  return createClient({ baseUrl: url, credentials: basic(user, PASSWORD) });
}

async function askToResume(page: Page): Promise<void> {
  await rowOf(page, "Trading", PATH).getByRole("button", { name: "Resume" }).click();
}

async function resume(page: Page, reason: string): Promise<void> {
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(/^Reason/).fill(reason);
  await dialog.getByLabel(/to confirm$/).fill("RESUME");
  await page.keyboard.press("Enter");
}

describe("D-UAC 23: a change that needs a second person, in the console", () => {
  it("waits, and nothing has failed; the second person sees whose request it is, and the first one who has sent it", async () => {
    const first = await openConsole(visit, url, "alice");
    const second = await openConsole(visit, url, "bob");
    await askToResume(first.page);
    expect(await first.page.getByRole("dialog").textContent()).not.toContain("second");
    await resume(first.page, "venue is back");
    const status = first.page.getByRole("status");
    const waits = `waits for a second person until ${TIME}`;
    await status.getByText(new RegExp(`^Resume Account\\[GOLD\\]: ${waits}\\. Nothing was sent yet: `)).waitFor();
    expect(await status.locator("[data-outcome]:visible").getAttribute("data-outcome")).toBe("awaited");
    const given = rowOf(first.page, "Last commands", "Resume Account[GOLD]");
    await given.getByText("waits for a second person", { exact: true }).waitFor();
    await given.getByText(new RegExp(`^until ${TIME}$`)).waitFor();

    await askToResume(second.page);
    const dialog = second.page.getByRole("dialog");
    const request = `alice's request of ${TIME} \\(venue is back\\)`;
    await dialog.getByText(new RegExp(`^Second confirmation: ${request} ${waits}\\.$`)).waitFor();
    expect(await violations(second.page)).toEqual([]);
    await resume(second.page, "");
    await second.page
      .getByRole("status")
      .getByText(/Read from the engine at/)
      .waitFor();

    // Before the records would be read for another reason.
    await status
      .getByText(new RegExp(`^Resume Account\\[GOLD\\]: sent by bob at ${TIME}, and accepted\\.$`))
      .waitFor({ timeout: 25_000 });
    expect([...first.problems, ...second.problems].filter((problem) => !problem.includes("403"))).toEqual([]);
  });

  it("says that somebody may have asked for it, where that cannot be read", async () => {
    await expect(clientOf("alice").resumeTrading({ projectionPath: PATH })).rejects.toThrow("second person");
    const { page } = await openConsole(visit, url, "bob");
    await page.route("**/console/records.json", (route) => route.fulfill({ status: 500, body: "" }));
    await page.reload();
    await askToResume(page);
    const words = /^Requests that wait for a second person could not be read: if another user has requested this, /;
    await page.getByRole("dialog").getByText(words).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Back" }).click();
    await page.getByRole("button", { name: "Halt all trading" }).click();
    expect(await page.getByRole("dialog").textContent(), "a stop needs nobody else").not.toContain("second person");
  });

  it("tells whoever asked for it that they have; and nobody anything once somebody has halted again", async () => {
    await expect(clientOf("alice").resumeTrading({ projectionPath: PATH })).rejects.toThrow("second person");
    const { page } = await openConsole(visit, url, "alice");
    await askToResume(page);
    const dialog = page.getByRole("dialog");
    const own = new RegExp(`^Your request of ${TIME} waits .*; sending it again only asks once more\\.$`);
    await dialog.getByText(own).waitFor();
    const reason = dialog.getByLabel(/^Reason/);
    await reason.press("Enter");
    const missing = dialog.getByRole("alert").getByText("Nothing was sent: the word is missing here.", { exact: true });
    await missing.waitFor();
    expect(await reason.evaluate(hasFocus), "Enter leaves the focus where it is").toBe(true);
    expect(await violations(page)).toEqual([]);
    await reason.press("x");
    await missing.waitFor({ state: "detached" });
    await dialog.getByRole("button", { name: "Back" }).click();
    await clientOf("bob").haltTrading({ projectionPath: PATH, reason: "not yet" });
    await askToResume(page);
    await expect.poll(() => dialog.textContent()).not.toContain("request");
    expect(await statusOf(page)).toBe("");
  });
});
