import type { Locator, Page } from "playwright-core";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ConfirmedOperation } from "../../src/client/shown.ts";
import { CONFIRMATIONS } from "../../src/core/operations/confirmations.ts";
import { addViewer, InstallationFolder } from "../gateway/folder.ts";
import { requireBuild } from "../package/build.ts";
import { violations } from "../support/axe.ts";
import { useChromium } from "../support/chromium.ts";
import { changesByFocus, hasFocus, pressEnterAt, tabTo, typeInto } from "../support/keyboard.ts";
import { lookAt, openConsole, panel, rowOf, statusOf } from "./visit-console.ts";

const visit = useChromium();
let folder: InstallationFolder;
let url: string;

beforeAll(requireBuild);

beforeEach(async () => {
  folder = new InstallationFolder();
  addViewer(folder);
  ({ url } = await folder.start(""));
});

afterEach(() => folder.close());

/** A command that is given with Tab, Enter and letters alone. */
interface Given {
  readonly operation: ConfirmedOperation;
  /** The button that opens its dialog. */
  readonly button: (page: Page) => Locator;
  /** What is typed and chosen in the dialog before it is sent. */
  readonly fill?: (page: Page, dialog: Locator) => Promise<void>;
  /** What the request holds. */
  readonly body: object | null;
  /** What the page says then. */
  readonly proof: RegExp;
}

function inRow(part: string, name: string, label: string): Given["button"] {
  return (page) => rowOf(page, part, name).getByRole("button", { name: label, exact: true });
}

function reason(text: string): NonNullable<Given["fill"]> {
  return (page, dialog) => typeInto(page, dialog.getByRole("textbox", { name: "Reason" }), text);
}

function word(text: string): NonNullable<Given["fill"]> {
  return (page, dialog) => typeInto(page, dialog.getByRole("textbox", { name: /^Type/ }), text);
}

/** How far outside of the focused element its ring begins, and how far the ring is from the edges of the panel, which cuts off what is outside. */
const RING = `((element) => {
  const { outlineOffset, outlineWidth } = getComputedStyle(element);
  const [offset, width] = [outlineOffset, outlineWidth].map(Number.parseFloat);
  const panel = element.closest(".panel");
  const [own, around] = [element, panel].map((part) => part.getBoundingClientRect());
  const border = panel.clientLeft + offset + width;
  const room = [own.left - around.left, around.right - own.right, own.top - around.top, around.bottom - own.bottom];
  return { offset, room: room.map((distance) => Math.round(distance - border)) };
})(document.activeElement)`;

const haltAll: Given["button"] = (page) => page.getByRole("button", { name: "Halt all trading" });
const resumeAll: Given["button"] = (page) => page.getByRole("button", { name: "Resume all trading" });

const COMMANDS: readonly Given[] = [
  {
    operation: "haltTrading",
    button: haltAll,
    fill: reason("runaway algo"),
    body: { projectionPath: "", reason: "runaway algo" },
    proof: /^All trading is halted \(runaway algo\)/,
  },
  {
    operation: "resumeTrading",
    button: resumeAll,
    fill: word("resume all"),
    body: {},
    proof: /^Trading is running\. Read/,
  },
  {
    operation: "haltTrading",
    button: (page) => page.getByRole("button", { name: "Halt a node" }),
    fill: async (page, dialog) => {
      await page.keyboard.type("Account[GOLD]");
      await reason("limit breach")(page, dialog);
    },
    body: { projectionPath: "Account[GOLD]", reason: "limit breach" },
    proof: /^Account\[GOLD\] is halted \(limit breach\)/,
  },
  {
    operation: "resumeTrading",
    button: inRow("Trading", "Account[GOLD]", "Resume"),
    fill: word("RESUME"),
    body: { projectionPath: "Account[GOLD]" },
    proof: /^Account\[GOLD\] is not halted/,
  },
  {
    operation: "haltTrading",
    button: (page) => panel(page, "Positions").getByRole("button", { name: "Halt", exact: true }).first(),
    body: {},
    proof: /^Account\[\w+\]\/Symbol\[.*\] is halted/,
  },
  {
    operation: "disableService",
    button: inRow("Services", "TWAP", "Disable"),
    fill: reason("wrong parameters"),
    body: { reason: "wrong parameters" },
    proof: /^TWAP is disabled/,
  },
  {
    operation: "enableService",
    button: inRow("Services", "TWAP", "Enable"),
    fill: word("enable"),
    body: {},
    proof: /^TWAP is enabled/,
  },
  {
    operation: "disconnectFixSession",
    button: inRow("FIX sessions", "FIXCLIENT1", "Disconnect"),
    body: null,
    proof: /^FIXCLIENT1 of OE1 is/,
  },
  {
    operation: "disableFixSession",
    button: inRow("FIX sessions", "FIXCLIENT1", "Disable"),
    body: null,
    proof: /^FIXCLIENT1 of OE1 is disabled/,
  },
  {
    operation: "enableFixSession",
    button: inRow("FIX sessions", "FIXCLIENT1", "Enable"),
    fill: word("enable"),
    body: null,
    proof: /^FIXCLIENT1 of OE1 is/,
  },
  {
    operation: "haltTrading",
    button: haltAll,
    fill: async (page, dialog) => {
      await tabTo(page, dialog.getByRole("checkbox", { name: "Cancel all working orders" }));
      await page.keyboard.press("Space");
      await reason("venue is away")(page, dialog);
    },
    body: { cancelOrders: true, reason: "venue is away" },
    proof: /halted|not known|proven|open/,
  },
];

describe("D-PAGE 11: the console by keyboard alone", () => {
  it("gives every command: Tab, Enter and typing are enough, and what is sent is what the dialog says", async () => {
    const { page, problems } = await openConsole(visit, url);
    for (const part of ["Services", "FIX sessions"]) {
      await panel(page, part).scrollIntoViewIfNeeded();
      await panel(page, part).getByRole("button", { name: "Disable" }).first().waitFor();
    }
    for (const { button, fill, body, proof } of COMMANDS) {
      await pressEnterAt(page, button(page));
      const dialog = page.getByRole("dialog");
      await fill?.(page, dialog);
      const sent = page.waitForRequest((request) => request.method() === "POST" && !/positions$/.test(request.url()));
      await page.keyboard.press("Enter");
      expect((await sent).postDataJSON()).toEqual(body === null ? null : expect.objectContaining(body));
      await expect.poll(() => statusOf(page)).toMatch(proof);
    }
    expect(problems).toEqual([]);
    const given = COMMANDS.map(({ operation }) => operation);
    expect(new Set(given)).toEqual(new Set(Object.keys(CONFIRMATIONS)));
  }, 240_000);

  it("focus alone changes nothing: not on the way through the page, and not in the dialog of a halt", async () => {
    const { page } = await openConsole(visit, url);
    await rowOf(page, "Services", "SIM").waitFor();
    expect(await changesByFocus(page, 60)).toEqual([]);
    await haltAll(page).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Halt all trading" });
    expect(await changesByFocus(page, 16)).toEqual([]);
    await dialog.getByRole("combobox", { name: "Node" }).focus();
    await dialog.getByRole("textbox", { name: "Reason" }).focus();
    await dialog.waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await dialog.getByRole("button", { name: "Halt all trading" }).isEnabled()).toBe(true);
  });

  it.each(["Nodes", "Positions", "Services"])(
    "the ring of a focused table is outside of its cells, and inside of its part: %s",
    async (name) => {
      const { page } = await openConsole(visit, url);
      await lookAt(page, "Account[GOLD]");
      const table = page.getByRole("group", { name: `${name}, scrollable` });
      await tabTo(page, table);
      const { offset, room } = (await page.evaluate(RING)) as { offset: number; room: readonly number[] };
      expect(offset).toBeGreaterThanOrEqual(0);
      expect(Math.min(...room), "nothing of it is cut off").toBeGreaterThanOrEqual(0);
    },
  );

  it("the choice of columns is a popover: Escape and a click elsewhere close it, and the focus is at its button then", async () => {
    const { page, problems } = await openConsole(visit, url);
    const services = panel(page, "Services");
    const button = services.getByRole("button", { name: "Columns" });
    const type = services.getByRole("checkbox", { name: "Type" });
    await pressEnterAt(page, button);
    await tabTo(page, type);
    await page.keyboard.press("Space");
    await services.getByRole("columnheader", { name: "Type" }).waitFor({ state: "detached" });
    expect(await type.isVisible(), "the next column can be chosen").toBe(true);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    expect(await type.isVisible()).toBe(false);
    expect(await button.evaluate(hasFocus)).toBe(true);
    await button.click();
    await type.waitFor();
    await page.getByRole("heading", { name: "Risk limits" }).click();
    await type.waitFor({ state: "hidden" });
    await expect.poll(() => button.evaluate(hasFocus)).toBe(true);
    expect(problems).toEqual([]);
  });

  it("the scope of a halt follows what is typed and chosen, with the arrow keys too", async () => {
    const { page } = await openConsole(visit, url);
    await haltAll(page).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    const one = dialog.getByRole("radio", { name: "One node" });
    await typeInto(page, dialog.getByRole("combobox", { name: "Node" }), "Account[GOLD]");
    expect(await one.isChecked()).toBe(true);
    await tabTo(page, one);
    await page.keyboard.press("ArrowUp");
    await page.getByRole("dialog", { name: "Halt all trading" }).waitFor();
    await tabTo(page, dialog.getByRole("textbox", { name: "Reason" }));
    await page.getByRole("dialog", { name: "Halt all trading" }).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await haltAll(page).evaluate(hasFocus)).toBe(true);
  });
});
