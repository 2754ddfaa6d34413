import { describe, it } from "vitest";
import { useChromium } from "../support/chromium.ts";
import { lookAt, openConsole, panel, rowOf, useInstallation } from "./visit-console.ts";

const visit = useChromium();
const folder = useInstallation();

describe("D-PAGE 9: a failure is said in an operator's words, without names of fields and codes", () => {
  it("of a node with an unknown key, and of the records", async () => {
    const { url } = await folder.start("");
    const { page } = await openConsole(visit, url);
    await lookAt(page, "Acount[GOLD]");
    const unknown = (key: string): RegExp => new RegExp(`^Unknown projection key "${key}" \\(known: .*\\)\\.$`);
    await rowOf(page, "Trading", "Acount[GOLD]").getByText(unknown("Acount")).waitFor();
    await page.route("**/console/records.json", (route) => route.fulfill({ status: 500, body: "" }));
    const commands = panel(page, "Last commands");
    await commands.getByRole("button", { name: /read now/ }).click();
    await commands.getByText("The gateway failed to give a part of this page.").waitFor();
  });
});
