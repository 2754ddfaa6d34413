import { element, nextId } from "./dom.ts";

/** The name of the installation, for a dialog, where the page has one: a command must not go to the wrong one. */
export function installation(): HTMLElement[] {
  const name = document.querySelector(".installation");
  return name ? [element("p", { id: nextId() }, [name.cloneNode(true)])] : [];
}
