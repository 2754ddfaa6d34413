import type { ElementHandle, Page } from "playwright-core";

type Part = "scroller" | "filter" | "projection";

type Parts = Readonly<Record<Part, ElementHandle<unknown>>>;

const SELECTORS: Readonly<Record<Part, string>> = {
  scroller: ".scroller",
  filter: "input[type=search]",
  projection: "select",
};

/** Of the window. */
const MIDDLE = [720, 450] as const;

/** What an operator does with the list of positions of a console. */
export class LongList {
  readonly #page: Page;
  readonly #parts: Parts;

  private constructor(page: Page, parts: Parts) {
    this.#page = page;
    this.#parts = parts;
  }

  /** The list of a page that is open. Its parts are looked for beforehand: that is work for the page, too. */
  static async of(page: Page): Promise<LongList> {
    const list = page.getByRole("region", { name: "Positions", exact: true });
    const found = Object.entries(SELECTORS).map(async ([part, selector]) => [
      part,
      await list.locator(selector).first().elementHandle(),
    ]);
    return new LongList(page, Object.fromEntries(await Promise.all(found)));
  }

  /** Reads the positions, as polling does when they are due. */
  async read(): Promise<void> {
    const response = this.#page.waitForResponse("**/api/admin/v1/positions");
    await this.#page.evaluate(`document.querySelector(".positions .age").click()`);
    await (await response).finished();
    await pause(300);
  }

  /** Turns the wheel above the list. */
  async wheel(turns: number, pixels: number): Promise<void> {
    await this.#page.evaluate(`document.querySelector(".positions").scrollIntoView()`);
    await this.#page.mouse.move(...MIDDLE);
    for (let turn = 0; turn < turns; turn += 1) {
      await this.#page.mouse.wheel(0, pixels);
      await pause(16);
    }
    await pause(300);
  }

  async press(key: string, times: number): Promise<void> {
    await this.#parts.scroller.focus();
    for (let time = 0; time < times; time += 1) {
      await this.#page.keyboard.press(key);
      await pause(30);
    }
    await pause(300);
  }

  /** Types into the filter, and takes it back. */
  async filter(text: string): Promise<void> {
    await this.#parts.filter.focus();
    for (const key of [...text, ...Array.from(text, () => "Backspace")]) {
      await this.#page.keyboard.press(key);
      await pause(60);
    }
    await pause(300);
  }

  /** Sorts by the first number, once down and once up, and takes it back. */
  async sort(): Promise<void> {
    for (let time = 0; time < 3; time += 1) {
      // The head is made anew each time.
      await this.#page.evaluate(`document.querySelector(".positions .number .sort").click()`);
      await pause(300);
    }
  }

  /** Chooses another projection, and the first one again. */
  async chooseAndReturn(): Promise<void> {
    const shown = await this.#parts.projection.inputValue();
    const options = await this.#parts.projection.$$eval("option", (all) => all.map(({ value }) => value));
    const begin = options.indexOf(shown);
    for (const index of [begin === 0 ? 1 : 0, begin]) {
      await this.#parts.projection.selectOption({ index });
      await pause(800);
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
