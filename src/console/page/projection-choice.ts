import { element } from "../../pages/dom.ts";
import { inAddress, noteInAddress, remember, remembered } from "./remembered.ts";

/** The projection without keys, in address and memory. */
const ROOT = ".";
/** Behind this choice a projection can be typed; none has a blank. */
const OTHER = " other";

/**
 * The choice of the projection of a part of the page: of those that the engine has, or, while it does not say, of usual ones and what is
 * typed. Once it has been read, the address has it.
 */
export class ProjectionChoice {
  readonly #part: "positions" | "risk";
  readonly #begin: string;
  readonly #select = element("select");
  readonly #typed = element("input", { type: "text", hidden: true, autocomplete: "off", spellcheck: false });
  readonly field = element("span", { className: "choice" }, ["by ", this.#select, this.#typed]);
  #known: readonly string[];
  #isComplete = false;
  #projection: string;
  /** What an earlier visit has left may have gone from the engine: then another is shown. */
  #from: "operator" | "address" | "memory";
  /** Called when another projection is to be shown. */
  onChange: () => void = () => {};

  constructor(part: "positions" | "risk", label: string, usual: readonly string[], begin: string) {
    this.#part = part;
    this.#begin = begin;
    this.#known = usual;
    const linked = inAddress(`${part}.by`);
    const stored = linked || (remembered()[part] ?? begin);
    this.#from = linked === "" ? "memory" : "address";
    this.#projection = stored === ROOT ? "" : stored;
    this.#select.setAttribute("aria-label", label);
    this.#select.onchange = () => {
      this.#typed.hidden = this.#select.value !== OTHER;
      if (this.#typed.hidden) this.#take(this.#select.value);
      else this.#typed.focus();
    };
    this.#typed.setAttribute("aria-label", `${label}, typed`);
    this.#typed.placeholder = begin;
    this.#typed.onchange = () => this.#take(this.#typed.value.trim());
    this.#showOptions();
  }

  get projection(): string {
    return this.#projection;
  }

  /** Says that the engine does not have the projection; empty when it has, and while it does not say. */
  get problem(): string {
    if (!this.#isComplete || this.#known.includes(this.#projection)) return "";
    return `There is no projection ${nameOf(this.#projection)}. Known: ${this.#known.map(nameOf).join(", ")}.`;
  }

  /** Offers the projections that the engine has. */
  offer(projections: readonly string[] | undefined): void {
    const [first] = projections ?? [];
    if (projections === undefined || first === undefined || String(projections) === String(this.#known)) return;
    this.#known = projections;
    this.#isComplete = true;
    if (this.#from === "memory" && !projections.includes(this.#projection)) this.#choose(first);
    else this.#showOptions();
  }

  /** Keeps the projection that was read. The address has it: a link shows the same whatever the other browser remembers. */
  keep(): void {
    const kept = this.#projection || ROOT;
    if (this.#from === "operator") {
      remember({ [this.#part]: kept });
      this.#from = "address";
    }
    noteInAddress(`${this.#part}.by`, kept === this.#begin ? "" : kept);
  }

  #take(projection: string): void {
    this.#from = "operator";
    this.#choose(projection);
  }

  #choose(projection: string): void {
    this.#projection = projection;
    this.#showOptions();
    this.onChange();
  }

  #showOptions(): void {
    const all = [...new Set([...this.#known, this.#projection])];
    const options = all.map((value) => element("option", { value }, [nameOf(value)]));
    const other = this.#isComplete ? [] : [element("option", { value: OTHER }, ["Other…"])];
    this.#select.replaceChildren(...options, ...other);
    this.#select.value = this.#projection;
  }
}

function nameOf(projection: string): string {
  return projection === "" ? "no key (all orders)" : projection;
}
