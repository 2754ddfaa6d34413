import { element } from "../../pages/dom.ts";
import type { TableColumn } from "./columns.ts";
import { inAddress, noteInAddress } from "./remembered.ts";
import { orderInText, orderText, type RowOrder } from "./row-order.ts";

/** Texts of a row that a filter is compared with. */
export interface Searched {
  /** How the thing of the row is; a word of the filter may be the beginning of one of these. */
  readonly state?: string;
  /** All else that is worth looking for; a word of the filter may be anywhere in it. */
  readonly text: string;
}

/** How an operator looks at one table: the filter, the order, the columns that are hidden. The address has all of it. */
export class TableView {
  readonly #id: string;
  readonly beginning: RowOrder | undefined;
  readonly #hidden: Set<string>;
  /** The field of the filter. */
  readonly filter: HTMLInputElement;
  /** Where columns are chosen. */
  readonly choice: HTMLElement;
  readonly #boxes = element("fieldset", { popover: "auto" });
  readonly #legend: HTMLElement;
  #order: RowOrder | undefined;
  /** Called when the operator looks at the table in another way. */
  onChange: () => void = () => {};

  /** `id` is that of the table in the address, `label` its name; `beginning` is the order while nobody has asked for another. */
  constructor(id: string, label: string, beginning: RowOrder | undefined) {
    this.#id = id;
    this.beginning = beginning;
    this.#order = orderInText(inAddress(`${id}.sort`)) ?? beginning;
    this.#hidden = new Set(inAddress(`${id}.hide`).split(",").filter(Boolean));
    this.filter = element("input", { type: "search", placeholder: "Filter", autocomplete: "off" });
    this.filter.setAttribute(
      "aria-label",
      `Filter ${label.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())}`,
    );
    this.filter.value = inAddress(id);
    this.#legend = element("legend", { className: "unseen" }, [`Columns of ${label}`]);
    this.choice = columnChoice(this.#boxes);
    this.filter.oninput = () => {
      noteInAddress(id, this.filter.value.trim());
      this.onChange();
    };
  }

  get order(): RowOrder | undefined {
    return this.#order;
  }

  set order(order: RowOrder | undefined) {
    this.#order = order;
    const isBeginning = orderText(order) === orderText(this.beginning);
    noteInAddress(`${this.#id}.sort`, isBeginning ? "" : orderText(order));
    this.onChange();
  }

  get isFiltered(): boolean {
    return this.#words.length > 0;
  }

  get #words(): readonly string[] {
    return this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  }

  /** Rows that hold every word of the filter. */
  filtered<Row>(rows: readonly Row[], searchedIn: (row: Row) => Searched): readonly Row[] {
    const words = this.#words;
    return words.length === 0 ? rows : rows.filter((row) => words.every((word) => holds(searchedIn(row), word)));
  }

  /** Columns that are not hidden; what says which row it is, and its commands, always stay. */
  shown<Row>(columns: readonly TableColumn<Row>[]): readonly TableColumn<Row>[] {
    return columns.filter((column) => !canBeHidden(column) || !this.#hidden.has(column.id));
  }

  /** Offers these columns for hiding. */
  offer<Row>(columns: readonly TableColumn<Row>[]): void {
    this.#boxes.replaceChildren(this.#legend, ...columns.filter(canBeHidden).map((column) => this.#box(column)));
  }

  #box<Row>({ id, title }: TableColumn<Row>): HTMLElement {
    const box = element("input", { type: "checkbox", checked: !this.#hidden.has(id) });
    box.oninput = () => {
      if (box.checked) this.#hidden.delete(id);
      else this.#hidden.add(id);
      noteInAddress(`${this.#id}.hide`, [...this.#hidden].join(","));
      this.onChange();
    };
    return element("label", {}, [box, title]);
  }
}

/** A button with the columns in a popover: Escape closes it, and so does a click elsewhere. */
function columnChoice(boxes: HTMLElement): HTMLElement {
  const button = element("button", { type: "button", className: "quiet", popoverTargetElement: boxes }, ["Columns"]);
  if (!("popover" in HTMLElement.prototype)) foldInPlace(button, boxes);
  boxes.addEventListener("beforetoggle", () => {
    // Below its button, as far to the left as its width needs, and scrolled with it.
    const { bottom, left } = button.getBoundingClientRect();
    boxes.style.top = `${bottom + window.scrollY + 4}px`;
    boxes.style.left = `min(${left}px, 100% - 15rem)`;
  });
  boxes.addEventListener("toggle", () => {
    const isLeft = !boxes.matches(":popover-open") && document.activeElement === document.body;
    if (isLeft) button.focus({ preventScroll: true });
  });
  return element("span", { className: "column-choice" }, [button, boxes]);
}

/** Browsers older than popovers (Chrome 114, Firefox 125, Safari 17) have the columns in the page, as long as the button says. */
function foldInPlace(button: HTMLElement, boxes: HTMLElement): void {
  const toggle = (): void => {
    boxes.hidden = !boxes.hidden;
    button.setAttribute("aria-expanded", String(!boxes.hidden));
  };
  toggle();
  button.onclick = toggle;
}

function canBeHidden<Row>({ kind, isState }: TableColumn<Row>): boolean {
  return kind !== "name" && kind !== "commands" && !isState;
}

/** A word may begin a state, so that "connected" finds none that is disconnected. */
function holds({ state = "", text }: Searched, word: string): boolean {
  return (
    text.toLowerCase().includes(word) ||
    state
      .toLowerCase()
      .split(/[^a-z]+/)
      .some((part) => part.startsWith(word))
  );
}
