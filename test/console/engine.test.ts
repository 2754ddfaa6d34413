import { describe, expect, it } from "vitest";
import { violations } from "../support/axe.ts";
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
  const positions = page.getByRole("combobox", { name: "Projection of positions" });
  await expect.poll(() => positions.inputValue()).toBe("Source/Account/Symbol");
  await expect.poll(() => read.at(-1)).toBe("Source/Account/Symbol");
  expect(await positions.getByRole("option").allTextContents()).toEqual(described.positionProjections);
  expect(await page.getByRole("combobox", { name: "Projection of risk limits" }).inputValue()).toBe("Account/Symbol");
  await positions.selectOption("Account/Currency");
  await expect.poll(() => read.at(-1)).toBe("Account/Currency");
  await panel(page, "Positions")
    .getByText(/^\d+ positions/)
    .waitFor();
  await page.reload();
  await expect.poll(() => read.at(-1)).toBe("Account/Currency");
  expect(await positions.inputValue()).toBe("Account/Currency");
});

describe("D-PAGE 28: a projection that cannot be read", () => {
  it("is not remembered; the page names those that the engine has, and shows one of them when it is opened again", async () => {
    const { url } = await folder.start("");
    const { page } = await openConsole(visit, url);
    const positions = panel(page, "Positions");
    const choice = positions.getByRole("combobox", { name: "Projection of positions" });
    await positions.getByText(/^\d+ positions/).waitFor();
    await page.goto(`${url}/console?positions.by=Accuont/Symbol`);
    await positions.getByText(/^There is no projection Accuont\/Symbol\. Known: Account\/Symbol, .*\.$/).waitFor();
    await page.goto(`${url}/console`);
    await positions.getByText(/^\d+ positions/).waitFor();
    expect(await choice.inputValue()).toBe("Account/Symbol");
    await page.evaluate(`localStorage.setItem("trading-console", '{"positions":"Accuont/Symbol"}')`);
    await page.reload();
    await positions.getByText(/^\d+ positions/).waitFor();
    expect(await choice.inputValue()).toBe("Account/Symbol");
  });

  it("may be typed where the engine does not name its own, and is not in the address before it was read", async () => {
    const { url } = await folder.start("");
    const { page, problems } = await openConsole(visit, url);
    await page.route("**/api/admin/v1/engine", (route) => route.fulfill({ json: { name: "small", operations: [] } }));
    await page.reload();
    const positions = panel(page, "Positions");
    const choice = positions.getByRole("combobox", { name: "Projection of positions" });
    const typed = positions.getByRole("textbox", { name: "Projection of positions, typed" });
    await choice.selectOption("Other…");
    expect(await typed.evaluate((field: object) => field === Reflect.get(globalThis, "document").activeElement)).toBe(
      true,
    );
    for (const [projection, shown] of [
      ["Accuont", /^Unknown projection key "Accuont"/],
      ["Account/RootSymbol", /^\d+ positions/],
    ] as const) {
      await typed.fill(projection);
      await typed.press("Enter");
      await positions.getByText(shown).waitFor();
      if (projection === "Accuont") {
        expect(await positions.getByText(shown).getAttribute("title"), "its code is at the pointer").toBe(
          "Status 400.",
        );
      }
      const { search } = new URL(page.url());
      expect(decodeURIComponent(search)).toBe(projection === "Accuont" ? "" : "?positions.by=Account/RootSymbol");
    }
    expect(await choice.inputValue()).toBe("Account/RootSymbol");
    expect(await violations(page)).toEqual([]);
    expect(problems.filter((problem) => !problem.includes("400"))).toEqual([]);
  });
});
