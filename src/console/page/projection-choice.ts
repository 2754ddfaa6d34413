import { element, nextId } from "./dom.ts";

/** A field for a projection: those that are usual can be chosen, every other can be typed. */
export function projectionChoice(
  label: string,
  usual: readonly string[],
  begin: string,
  choose: (projection: string) => void,
): HTMLElement {
  const input = element("input", { type: "text", value: begin, autocomplete: "off", spellcheck: false });
  const list = element("datalist", { id: nextId() });
  list.append(...usual.map((value) => element("option", { value })));
  input.setAttribute("list", list.id);
  input.setAttribute("aria-label", label);
  // Otherwise the list would show only what begins like the text that is there.
  input.onfocus = () => input.select();
  input.onchange = () => choose(input.value.trim());
  return element("span", { className: "choice" }, [input, list]);
}
