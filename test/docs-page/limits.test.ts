import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { InstallationFolder, PASSWORD } from "../gateway/folder.ts";
import { requireBuild } from "../package/build.ts";
import { useChromium } from "../support/chromium.ts";
import { bodyOf, execute, fillBody, tryOut } from "./visit.ts";

const visit = useChromium();
const folder = new InstallationFolder();
let url: string;
let page: Page;

beforeAll(async () => {
  await requireBuild();
  ({ url } = await folder.start(""));
});

afterAll(() => folder.close());

beforeEach(async () => {
  const httpCredentials = { username: "chief", password: PASSWORD };
  ({ page } = await visit(url, { httpCredentials, viewport: { width: 390, height: 844 } }));
  await page.goto(`${url}/swagger-ui.html`);
  await page.locator(".opblock").first().waitFor();
  await tryOut(page, "updateRiskTable");
});

/** Outcome and text of what is said of the last command. */
async function said(): Promise<string> {
  const line = page.getByRole("status").locator(".line[data-outcome]").last();
  return `${await line.getAttribute("data-outcome")}: ${await line.locator("span").first().textContent()}`;
}

describe("a change of limits on the interactive page", () => {
  it("begins with one row of one account, says row and value before, and is proven by the table that it returns", async () => {
    const { commands } = JSON.parse(await bodyOf(page, "updateRiskTable").inputValue());
    expect(commands).toHaveLength(1);
    expect(Object.values(commands[0].conditions)).not.toContain("*");
    await execute(page, "updateRiskTable");
    const words = "Set MaxOrderSize of Account=PENSION Symbol=AAPL to 1,000";
    await page.getByRole("dialog", { name: words }).getByRole("button", { name: words }).click();
    await expect
      .poll(said)
      .toBe(
        "proven: Account=PENSION Symbol=AAPL: MaxOrderSize is 1,000. The engine's table after the update shows it.",
      );
  });

  it("lists several changes, and on a phone has its buttons in two rows, and the button that resets the fields ends where they do", async () => {
    const conditions = { Account: "PENSION", Symbol: "AAPL" };
    const limits = { MaxOrderSize: "900", MaxPositionLong: "3000" };
    await fillBody(page, "updateRiskTable", {
      projection: "Account/Symbol",
      commands: [{ type: "UPDATE", conditions, limits }],
    });
    const fields = [page.getByRole("button", { name: "Reset" }), bodyOf(page, "updateRiskTable")];
    const [reset, body] = await Promise.all(fields.map((field) => field.boundingBox()));
    const endOf = (box: typeof reset): number => (box?.x ?? 0) + (box?.width ?? 0);
    expect(endOf(reset)).toBeCloseTo(endOf(body), 0);
    await execute(page, "updateRiskTable");
    const dialog = page.getByRole("dialog", { name: "Change the risk table Account/Symbol, 1 command" });
    await dialog.waitFor();
    expect(await dialog.getByRole("listitem").allTextContents()).toEqual([
      "Account=PENSION Symbol=AAPL MaxOrderSize: 900",
      "Account=PENSION Symbol=AAPL MaxPositionLong: 3000",
    ]);
    const boxes = await Promise.all((await dialog.getByRole("button").all()).map((button) => button.boundingBox()));
    expect(new Set(boxes.map((box) => box?.y)).size).toBe(2);
  });
});
