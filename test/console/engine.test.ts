import { expect, it } from "vitest";
import { useChromium } from "../support/chromium.ts";
import { openConsole, panel, useInstallation } from "./visit-console.ts";

const visit = useChromium();
const folder = useInstallation();

it("D-ENG 29: the console does not offer what the engine does not have, and says why", async () => {
  const { url } = await folder.start("");
  const { page } = await openConsole(visit, url);
  const disable = panel(page, "Services")
    .getByRole("button", { name: /^Disable(?!d)/ })
    .first();
  await disable.waitFor();
  expect(await disable.getAttribute("aria-disabled")).toBe("false");
  const described = { name: "small", operations: ["getTradingStatus", "haltTrading", "listServices"] };
  await page.route("**/api/admin/v1/engine", (route) => route.fulfill({ json: described }));
  await page.reload();
  await expect.poll(() => disable.getAttribute("title")).toBe("The engine does not support disableService");
  expect(await disable.getAttribute("aria-disabled")).toBe("true");
  await disable.click({ force: true });
  await page.getByText("Nothing was sent: the engine does not support disableService.").waitFor();
});

it("D-ENG 29: projections that the engine names are offered, and one of them is shown until the operator chooses", async () => {
  const { url } = await folder.start("");
  const { page } = await openConsole(visit, url);
  const described = {
    name: "small",
    operations: ["getTradingStatus", "listPositions", "getRiskTable"],
    positionProjections: ["Source/Account/Symbol", "Account/Currency"],
    riskTables: [{ projection: "Account/Symbol", limits: ["MaxOrderSize"] }],
  };
  await page.route("**/api/admin/v1/engine", (route) => route.fulfill({ json: described }));
  const read: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/positions")) read.push(request.postDataJSON().projection);
  });
  await page.reload();
  const positions = page.getByLabel("Projection of positions");
  await expect.poll(() => positions.inputValue()).toBe("Source/Account/Symbol");
  await expect.poll(() => read.at(-1)).toBe("Source/Account/Symbol");
  const offered = await positions.evaluate(({ list }: { list: { options: Iterable<{ value: string }> } }) =>
    Array.from(list.options, ({ value }) => value),
  );
  expect(offered).toEqual(described.positionProjections);
  expect(await page.getByLabel("Projection of risk limits").inputValue()).toBe("Account/Symbol");
  await positions.fill("Trader/Symbol");
  await positions.press("Enter");
  await expect.poll(() => read.at(-1)).toBe("Trader/Symbol");
  await page.reload();
  await expect.poll(() => read.at(-1)).toBe("Trader/Symbol");
  expect(await positions.inputValue()).toBe("Trader/Symbol");
});
