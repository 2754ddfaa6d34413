import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CHIEF, InstallationFolder } from "../gateway/folder.ts";
import { requireBuild } from "../package/build.ts";
import { useChromium } from "../support/chromium.ts";
import { sendRaw } from "../support/raw-http.ts";
import { openConsole, rowOf, serveServices } from "./visit-console.ts";

/** Characters that a browser acts on or does not show, and how each is written. */
const UNSEEN: readonly (readonly [character: string, written: string])[] = [
  ["\u200b", "\\u200b"],
  ["\u202e", "\\u202e"],
  ["\u2066", "\\u2066"],
  ["\u00ad", "\\u00ad"],
  ["\u3164", "\\u3164"],
  ["\ufe0f", "\\ufe0f"],
  ["\u{e0041}", "\\udb40\\udc41"],
  ["\u0085", "\\u0085"],
  ["\n", "\\u000a"],
];

const visit = useChromium();
let folder: InstallationFolder;
let url: string;

beforeAll(requireBuild);

beforeEach(async () => {
  folder = new InstallationFolder();
  ({ url } = await folder.start(""));
});

afterEach(() => folder.close());

describe("D-PAGE 20: characters that cannot be seen are shown as escapes in the console", () => {
  it("in names, beside which a button stops something, and in the dialog of that button", async () => {
    const { page } = await openConsole(visit, url);
    await serveServices(page, ["GOLD", ...UNSEEN.map(([character]) => `GO${character}LD`)]);
    for (const [, written] of UNSEEN) await rowOf(page, "Services", `GO${written}LD`).waitFor();
    const sent = page.waitForRequest(/disable$/);
    await rowOf(page, "Services", "GO\\u200bLD").getByRole("button", { name: "Disable" }).click();
    await page.getByRole("dialog").getByRole("heading", { name: "Disable GO\\u200bLD", exact: true }).waitFor();
    await page.keyboard.press("Enter");
    // What is sent is the name itself.
    expect((await sent).url()).toContain(encodeURIComponent("GO\u200bLD"));
  });

  it("in paths of nodes and in reasons", async () => {
    const body = { projectionPath: "Account[GO\u200bLD]", reason: "x\u202edetlah ton" };
    const headers = { "Content-Type": "application/json" };
    const halt = { method: "POST", path: "/api/admin/v1/trading/halt", authorization: CHIEF, headers };
    await sendRaw(url, { ...halt, body: JSON.stringify(body) });
    const { page } = await openConsole(visit, url);
    await rowOf(page, "Trading", "Account[GO\\u200bLD]").getByText("x\\u202edetlah ton").waitFor();
    expect(await page.locator("body").textContent()).not.toMatch(/[\u200b\u202e]/);
  });
});
