import { element, suggestions } from "../../pages/dom.ts";
import { inAddress, noteInAddress, remember, remembered } from "./remembered.ts";

/** What address and memory have for the projection without keys. */
const ROOT = ".";

/** A field for the projection of a part of the page: those that are usual can be chosen, every other can be typed. The address has it. */
export class ProjectionChoice {
  readonly #part: "positions" | "risk";
  readonly #begin: string;
  readonly field: HTMLElement;
  #projection: string;
  /** Called when the operator has chosen another projection. */
  onChange: () => void = () => {};

  constructor(part: "positions" | "risk", label: string, usual: readonly string[], begin: string) {
    this.#part = part;
    this.#begin = begin;
    const stored = inAddress(`${part}.by`) || remembered()[part];
    this.#projection = stored === undefined ? begin : stored === ROOT ? "" : stored;
    this.#note();
    const input = element("input", { type: "text", value: this.#projection, autocomplete: "off", spellcheck: false });
    const list = suggestions(usual);
    input.setAttribute("list", list.id);
    input.setAttribute("aria-label", label);
    // Otherwise the list would show only what begins like the text that is there; the Tab key selects it by itself.
    input.onclick = () => input.select();
    input.onchange = () => this.#choose(input.value.trim());
    this.field = element("span", { className: "choice" }, [input, list]);
  }

  get projection(): string {
    return this.#projection;
  }

  #choose(projection: string): void {
    this.#projection = projection;
    remember({ [this.#part]: projection || ROOT });
    this.#note();
    this.onChange();
  }

  /** Who opens the link sees the same, whatever their browser remembers. */
  #note(): void {
    noteInAddress(`${this.#part}.by`, this.#projection === this.#begin ? "" : this.#projection || ROOT);
  }
}
