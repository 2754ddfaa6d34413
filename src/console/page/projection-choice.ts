import { element, suggestions } from "../../pages/dom.ts";
import { inAddress, noteInAddress, remember, remembered } from "./remembered.ts";

/** The projection without keys, in address and memory. */
const ROOT = ".";

/**
 * A field for the projection of a part of the page: those that the engine has, or that are usual, can be chosen, every other can be typed.
 * The address has it.
 */
export class ProjectionChoice {
  readonly #part: "positions" | "risk";
  readonly #begin: string;
  readonly field: HTMLElement;
  readonly #input: HTMLInputElement;
  readonly #list: HTMLDataListElement;
  #offered: string;
  #projection: string;
  #isChosen: boolean;
  /** Called when another projection is to be shown. */
  onChange: () => void = () => {};

  constructor(part: "positions" | "risk", label: string, usual: readonly string[], begin: string) {
    this.#part = part;
    this.#begin = begin;
    const stored = inAddress(`${part}.by`) || remembered()[part];
    this.#isChosen = stored !== undefined;
    this.#projection = stored === undefined ? begin : stored === ROOT ? "" : stored;
    this.#note();
    const input = element("input", { type: "text", value: this.#projection, autocomplete: "off", spellcheck: false });
    this.#input = input;
    this.#list = suggestions(usual);
    this.#offered = JSON.stringify(usual);
    input.setAttribute("list", this.#list.id);
    input.setAttribute("aria-label", label);
    // Otherwise the list would show only what begins like the text that is there; the Tab key selects it by itself.
    input.onclick = () => input.select();
    input.onchange = () => this.#choose(input.value.trim());
    this.field = element("span", { className: "choice" }, [input, this.#list]);
  }

  /** Offers the projections that the engine has. Until the operator chooses one, one of them is shown. */
  offer(projections: readonly string[] | undefined): void {
    const [first] = projections ?? [];
    if (projections === undefined || first === undefined || JSON.stringify(projections) === this.#offered) return;
    this.#offered = JSON.stringify(projections);
    this.#list.replaceChildren(...suggestions(projections).children);
    if (this.#isChosen || projections.includes(this.#projection)) return;
    this.#projection = first;
    this.#input.value = first;
    this.onChange();
  }

  get projection(): string {
    return this.#projection;
  }

  #choose(projection: string): void {
    this.#projection = projection;
    this.#isChosen = true;
    remember({ [this.#part]: projection || ROOT });
    this.#note();
    this.onChange();
  }

  /** Keeps the projection in the address: a link shows the same whatever the other browser remembers. */
  #note(): void {
    noteInAddress(`${this.#part}.by`, this.#projection === this.#begin ? "" : this.#projection || ROOT);
  }
}
