import type { Locator, Page } from "playwright-core";

/** Opens an operation of the page and makes it ready to be tried out. */
export async function tryOut(page: Page, operationId: string): Promise<void> {
  const block = page.locator(`.opblock[id$="-${operationId}"]`);
  await block.locator(".opblock-summary-control").click();
  await block.getByRole("button", { name: "Try it out" }).click();
}

/** The field for the body of an operation that is tried out. */
export function bodyOf(page: Page, operationId: string): Locator {
  return page.locator(`.opblock[id$="-${operationId}"] textarea.body-param__text`);
}

/** Types a body in place of the one that is there. */
export async function fillBody(page: Page, operationId: string, body: object): Promise<void> {
  await bodyOf(page, operationId).fill(JSON.stringify(body));
}

/** Sends what is to be tried out; a command waits for the response to its dialog. */
export async function execute(page: Page, operationId: string): Promise<void> {
  await page.locator(`.opblock[id$="-${operationId}"]`).getByRole("button", { name: "Execute" }).click();
}

/** What the page shows of the response: status, then details. */
export async function answerOf(page: Page, operationId: string): Promise<string> {
  const row = page.locator(`.opblock[id$="-${operationId}"] .live-responses-table tbody tr`).first();
  return ((await row.textContent()) ?? "").replaceAll(/\s+/g, " ").trim();
}
