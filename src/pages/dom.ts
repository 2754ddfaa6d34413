import { breakablePieces, visible } from "../core/values/basics.ts";

/** Makes an element with properties and content. Texts on a page show every character that they have (decision D-PAGE 20). */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  content: readonly (Node | string)[] = [],
): HTMLElementTagNameMap[K] {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...content.map((part) => (typeof part === "string" ? visible(part) : part)));
  return made;
}

/** The element of the page's text with this id. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element #${id}`);
  return found;
}

/** Changes the text of an element, unless it is the same: a live region would be read out again. */
export function setText(target: Element, text: string): void {
  const shown = visible(text);
  if (target.textContent !== shown) target.textContent = shown;
}

/** A text of several lines, for an element that shows them as lines. */
export function lines(text: string): Text {
  return document.createTextNode(text.split("\n").map(visible).join("\n"));
}

/** The same for a text with paths in it, which may break behind a slash. */
export function setBreakable(target: Element, text: string): void {
  const shown = visible(text);
  if (target.textContent === shown) return;
  target.replaceChildren(...breakablePieces(shown).flatMap((part) => [part, element("wbr")]));
}

/** Choices for a text field. Where one has characters that cannot be seen, the browser's list shows them beside it. */
export function suggestions(values: readonly string[]): HTMLDataListElement {
  const options = values.map((value) => {
    const label = visible(value);
    return element("option", { value, ...(label !== value && { label }) });
  });
  return element("datalist", { id: nextId() }, options);
}

let ids = 0;

/** An id that no other element has. */
export function nextId(): string {
  ids += 1;
  return `made-${ids}`;
}

/** Lets the browser do something else first. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** The name of the installation, for a dialog, where the page has one: a command must not go to the wrong one. */
export function installation(): HTMLElement[] {
  const name = document.querySelector(".installation");
  return name ? [element("p", { id: nextId() }, [name.cloneNode(true)])] : [];
}

/** On the button that closes a dialog and sends nothing: "Cancel" would stand beside "Cancel all working orders". */
export const BACK = "Back";
