import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { InstallationFolder } from "../gateway/folder.ts";
import { requireBuild } from "../package/build.ts";
import { useChromium } from "../support/chromium.ts";
import { addViewer, openConsole, panel } from "./visit-console.ts";

const visit = useChromium();
let folder: InstallationFolder;

beforeAll(requireBuild);

beforeEach(() => {
  folder = new InstallationFolder();
  addViewer(folder);
});

afterEach(() => folder.close());

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
