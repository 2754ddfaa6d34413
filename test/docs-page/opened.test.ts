import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ErrorBody } from "../../src/core/errors.ts";
import { InstallationFolder, PASSWORD } from "../gateway/folder.ts";
import { generatedDocument } from "../openapi/committed.ts";
import { requireBuild } from "../package/build.ts";
import { useChromium } from "../support/chromium.ts";
import { hasFocus } from "../support/keyboard.ts";
import { answerOf, execute, tryOut } from "./visit.ts";

const visit = useChromium();
const folder = new InstallationFolder();
let url: string;

beforeAll(async () => {
  await requireBuild();
  ({ url } = await folder.start(""));
});

afterAll(() => folder.close());

async function opened(operation?: string): Promise<{ page: Page; block: Locator; problems: readonly string[] }> {
  const credentials = { username: "chief", password: PASSWORD };
  const { page, problems } = await visit(url, {
    httpCredentials: credentials,
    viewport: { width: 1280, height: 900 },
  });
  await page.goto(`${url}/swagger-ui.html${operation ? `#/${operation}` : ""}`);
  const block = page.locator(operation ? ".opblock.is-open" : ".opblock").first();
  await block.waitFor();
  return { page, block, problems };
}

/** Status and message of each error that the document has for an operation: what its caller sees. */
function errorsOf(path: string, method: "get" | "post"): string[][] {
  const { paths, components } = generatedDocument();
  return Object.entries(paths[path]?.[method]?.responses ?? {}).flatMap(([status, response]) => {
    if (Number(status) < 400 || !("$ref" in response)) return [];
    const { content } = components.responses[response.$ref.slice("#/components/responses/".length)] ?? {};
    const examples = Object.values(content?.["application/json"].examples ?? { none: { value: { message: "" } } });
    return examples.map(({ value }) => [status, (value as ErrorBody).message]);
  });
}

describe("the interactive page", () => {
  it("has an operation on one screen: its success whole, all its errors in one table that is folded", async () => {
    const { page, block, problems } = await opened("Trading/haltTrading");
    const success = block.locator(".responses-table .response");
    expect(await success.locator(".response-col_status").allTextContents()).toEqual(["200"]);
    expect((await block.boundingBox())?.height).toBeLessThan(900);
    const errors = block.locator(".error-responses");
    const summary = errors.getByText("Errors: 400, 401, 403, 408, 413, 414, 415, 429, 431, 500, 503, 504");
    await summary.focus();
    await page.keyboard.press("Enter");
    expect(await summary.evaluate(hasFocus)).toBe(true);
    const rows = await errors.locator("tbody tr").all();
    const cells = await Promise.all(rows.map((row) => row.locator("th, td").allTextContents()));
    const shown = cells.map((row) => row.slice(0, 2));
    expect(shown).toEqual(errorsOf("/trading/halt", "post"));
    expect(new Set(shown.map(String)).size).toBe(shown.length);
    expect(cells[0]?.slice(2).map((text) => text.trim())).toEqual([
      "The request is malformed or a field is missing, unknown or invalid; the message names each one.",
      "Correct the named fields and send the request again.",
    ]);
    expect(problems).toEqual([]);
  });

  it("has what holds for every operation folded above them, and seven of them on the first screen", async () => {
    const { page } = await opened();
    const conventions = page.getByText("X-Admin-Outcome", { exact: true });
    expect(await conventions.isVisible()).toBe(false);
    await expect.poll(async () => (await page.locator(".opblock").nth(6).boundingBox())?.y).toBeLessThan(800);
    await page.getByText("Conventions of the API").click();
    expect(await conventions.isVisible()).toBe(true);
  });

  it("has the response right below the button, and the request as commands of a shell beside it", async () => {
    const { page, block, problems } = await opened();
    await tryOut(page, "listServices");
    await execute(page, "listServices");
    await expect.poll(() => answerOf(page, "listServices")).toMatch(/^200/);
    await page.getByText("The request as a command").click();
    const [curl, call] = await page.locator(".opblock.is-open .curl").allTextContents();
    expect(curl).toContain(`${url}/api/admin/v1/services`);
    expect(call).toBe(`trading-admin call listServices --url ${url}`);
    expect(await block.page().locator(".opblock.is-open .copy-to-clipboard button").count()).toBeGreaterThan(1);
    expect(problems).toEqual([]);
  });

  it("says nothing of a default that is an empty text", async () => {
    const { block } = await opened("Risk/getRiskTable");
    const texts = await block.locator("tbody .parameters-col_description").first().textContent();
    expect(texts).toContain("Empty means the root level");
    expect(texts).not.toContain("Default value");
  });
});
