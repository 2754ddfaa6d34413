import type { Locator, Page } from "playwright-core";

/** Stops of the Tab key on the longest page, with some to spare. */
const MAX_STOPS = 500;

/** Presses the Tab key until an element has the focus; rejects when it never gets it. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let stop = 0; stop < MAX_STOPS; stop += 1) {
    if (await target.evaluate(hasFocus)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`the Tab key does not lead to ${target}`);
}

/** Presses the Tab key until an element has the focus, and activates it. */
export async function pressEnterAt(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press("Enter");
}

/** Presses the Tab key until a field has the focus, and types in place of what is there. */
export async function typeInto(page: Page, field: Locator, text: string): Promise<void> {
  await tabTo(page, field);
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type(text);
}

/** Whether an element has the focus; to be evaluated in the page. */
export function hasFocus(element: { ownerDocument: { activeElement: unknown } }): boolean {
  return element.ownerDocument.activeElement === element;
}

/** All that a person could have chosen or typed, and the words of an open dialog. */
const CHOICES = `JSON.stringify([
  location.href,
  ...[...document.querySelectorAll("input, select, textarea, details, [aria-sort]")].map((one) =>
    [one.value, one.checked, one.disabled, one.open, one.ariaSort]),
  ...[...document.querySelectorAll("dialog :is(h2, p, button)")].map((one) => [one.textContent, one.disabled]),
])`;

/** Presses the Tab key this often, and says at which stop a choice, a value or the words of a dialog changed. */
export async function changesByFocus(page: Page, stops: number): Promise<string[]> {
  const before = await page.evaluate(CHOICES);
  const changes: string[] = [];
  for (let stop = 0; stop < stops; stop += 1) {
    await page.keyboard.press("Tab");
    if ((await page.evaluate(CHOICES)) !== before) {
      changes.push(String(await page.evaluate("document.activeElement.outerHTML")));
    }
  }
  return changes;
}
