import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterEach, beforeAll, beforeEach } from "vitest";
import { addViewer, InstallationFolder, PASSWORD } from "../gateway/folder.ts";
import { requireBuild } from "../package/build.ts";
import type { Visit, Visitor } from "../support/chromium.ts";

/** Has a folder with an installation of its own for each test of a file: a chief, and a viewer who may only read. */
export function useInstallation(): Pick<InstallationFolder, "start" | "logText" | "file" | "write"> {
  let folder: InstallationFolder;
  beforeAll(requireBuild);
  beforeEach(() => {
    folder = new InstallationFolder();
    addViewer(folder);
  });
  afterEach(() => folder.close());
  return {
    start: (...settings) => folder.start(...settings),
    logText: () => folder.logText(),
    file: (name) => folder.file(name),
    write: (name, text) => folder.write(name, text),
  };
}

/** Opens the console as a user who has logged in at the browser's own prompt, and waits until trading has been read. */
export async function openConsole(
  visit: Visitor,
  url: string,
  user = "chief",
  options: BrowserContextOptions = {},
  state = "Trading is running",
): Promise<Visit> {
  const credentials = { username: user, password: PASSWORD };
  const visited = await visit(url, {
    httpCredentials: credentials,
    viewport: { width: 1440, height: 900 },
    ...options,
  });
  await visited.page.goto(`${url}/console`);
  await visited.page.getByText(state).first().waitFor();
  return visited;
}

/** A part of the page by the name of its heading. */
export function panel(page: Page, name: string): Locator {
  return page.getByRole("region", { name, exact: true });
}

/** The row with this name in a part of the page. */
export function rowOf(page: Page, part: string, name: string): Locator {
  return panel(page, part)
    .getByRole("row")
    .filter({ has: page.getByRole("rowheader", { name, exact: true }) });
}

/** The page gets enabled algorithms with these names as its services, whole as the API gives them: others are refused. */
export async function serveServices(page: Page, names: readonly string[]): Promise<void> {
  const algorithm = { type: "Algorithm", system: false, dma: false, enabled: true, status: null };
  await page.route("**/api/admin/v1/services", (route) =>
    route.fulfill({ json: names.map((name) => ({ name, ...algorithm })) }),
  );
  await panel(page, "Services")
    .getByRole("button", { name: /read now/ })
    .click();
}

/** Where something is in the window, in pixels. */
export async function boxOf(part: Locator): Promise<NonNullable<Awaited<ReturnType<Locator["boundingBox"]>>>> {
  const box = await part.boundingBox();
  if (!box) throw new Error(`${part} is not there`);
  return box;
}

/** Shows the rows of a part that wait behind a button on a phone. */
export async function unfold(page: Page, part: string): Promise<void> {
  await panel(page, part)
    .getByRole("button", { name: /^Show \d/ })
    .click();
}

/** Names a node that the page shall look at. */
export async function lookAt(page: Page, path: string): Promise<void> {
  const trading = panel(page, "Trading");
  await trading.getByRole("textbox", { name: "Look at a node" }).fill(path);
  await trading.getByRole("button", { name: "Show" }).click();
}

/** The text of the live region. */
export async function statusOf(page: Page): Promise<string> {
  return (await page.getByRole("status").textContent()) ?? "";
}
