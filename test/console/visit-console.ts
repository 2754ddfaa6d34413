import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { PERMISSIONS } from "../../src/core/operations/permission.ts";
import { allow, ruleDocument, userDocument } from "../auth/access-files.ts";
import { type Visit, visit } from "../docs-page/visit.ts";
import { type InstallationFolder, PASSWORD } from "../gateway/folder.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Beside `chief`, who has every permission, a user who may only read. */
export function addViewer(folder: InstallationFolder): void {
  folder.write("uac-file-security.xml", userDocument(["chief", PASSWORD], ["viewer", PASSWORD]));
  folder.write("uac-access-rules.xml", ruleDocument(...PERMISSIONS.map((permission) => allow("chief", permission))));
}

/** Opens the console as a user who has logged in at the browser's own prompt, and waits until trading has been read. */
export async function openConsole(
  browser: Browser,
  url: string,
  user: "chief" | "viewer" = "chief",
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const credentials = { username: user, password: PASSWORD };
  const visited = await visit(browser, url, {
    httpCredentials: credentials,
    viewport: { width: 1440, height: 900 },
    ...options,
  });
  await visited.page.goto(`${url}/console`);
  await visited.page.getByText("Trading is running").first().waitFor();
  return visited;
}

/** A part of the page by the name of its heading. */
export function panel(page: Page, name: string): ReturnType<Page["locator"]> {
  return page.getByRole("region", { name, exact: true });
}

/** The text of the live region. */
export async function statusOf(page: Page): Promise<string> {
  return (await page.getByRole("status").textContent()) ?? "";
}

/** What axe finds wrong with the page as it is now: rules, with the elements. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found = (await page.evaluate("axe.run()")) as AxeResults;
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

interface AxeResults {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}
